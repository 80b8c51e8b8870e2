import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { PermissionSet, Role } from 'contract/core/permissions.ts';
import { expect, test } from 'vitest';
import { testEnvironment } from '../server/src/core/testing/environment.ts';
import { addAdmin, testPassword } from '../server/src/core/testing/server.ts';

/* Section 7 of the specification, called with curl as any client would: every one of nine calls by seven callers. */
const { db, server } = await testEnvironment();

const callers = ['no token', 'garbage token', 'SuperAdmin', 'Admin', 'Support', 'Finance', 'Auditor'] as const;
type Caller = (typeof callers)[number];

const tokens = new Map<Caller, string | undefined>([
  ['no token', undefined],
  ['garbage token', 'garbage'],
]);
const users: [Caller, Role, PermissionSet | undefined][] = [
  ['SuperAdmin', 'SuperAdmin', undefined],
  ['Admin', 'Admin', undefined],
  ['Support', 'Admin', 'Support'],
  ['Finance', 'Admin', 'Finance'],
  ['Auditor', 'Admin', 'Auditor'],
];
for (const [caller, role, permissionSet] of users) {
  const username = `the.${caller.toLowerCase()}`;
  await addAdmin(db.database, { username, role, ...(permissionSet && { permissionSet }) });
  tokens.set(caller, await server.signIn(username));
}

const run = promisify(execFile);

async function curl(
  method: string,
  path: string,
  { token, payload }: { token?: string | undefined; payload?: unknown },
) {
  const flags = ['--silent', '--show-error', '--request', method, '--write-out', '\n%{http_code} %{content_type}'];
  if (token !== undefined) flags.push('--header', `Authorization: Bearer ${token}`);
  if (payload !== undefined)
    flags.push('--header', 'Content-Type: application/json', '--data', JSON.stringify(payload));
  const { stdout } = await run('curl', [...flags, `${server.address}/api${path}`]);
  const [body = '', last = ''] = stdout.split(/\n(?=[^\n]*$)/);
  const [status, type = ''] = last.split(/ (.*)/);
  return { status: Number(status), type, json: JSON.parse(body) as unknown };
}

let made = 0;
const unused = () => {
  made += 1;
  return `user${made}`;
};

async function newUsername(permissionSet?: 'Support') {
  const { username } = await addAdmin(db.database, { username: unused(), ...(permissionSet && { permissionSet }) });
  return username;
}

async function someTicket() {
  const payload = { type: 'Payout', description: 'Where is it?' };
  const { json } = await curl('POST', '/tickets', { token: tokens.get('SuperAdmin'), payload });
  return (json as { id: string }).id;
}

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const id = expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/) as string;
const admin = {
  id,
  username: expect.any(String) as string,
  role: expect.stringMatching(/^(Admin|SuperAdmin)$/) as string,
  createdAt: timestamp,
};
const ticket = {
  id,
  type: 'Payout',
  description: 'Where is it?',
  username: expect.any(String) as string,
  status: 'open',
  createdAt: timestamp,
  response: null as string | null,
};
const reply = { id, sender: expect.any(String) as string, message: 'Soon', createdAt: timestamp };

type Call = {
  call: `${'GET' | 'POST' | 'PATCH'} ${string}`;
  /** Returns the payload, and the path if it contains an id. */
  prepare: () => Promise<{ path?: string; payload?: Record<string, unknown> }>;
  answer: unknown;
  expected: Record<Caller, number>;
};

const needsSession = { 'no token': 401, 'garbage token': 401 };
const everyone = { ...needsSession, SuperAdmin: 200, Admin: 200, Support: 200, Finance: 200, Auditor: 200 };
const ticketWriters = { ...everyone, Finance: 403, Auditor: 403 };
const superAdminOnly = { ...ticketWriters, Admin: 403, Support: 403 };

const calls: Call[] = [
  {
    call: 'POST /admin/login',
    prepare: async () => ({ payload: { username: await newUsername(), password: testPassword } }),
    answer: { token: expect.stringMatching(/^[\w-]{43}$/) as string },
    // Signing in needs no session and is the same for all callers.
    expected: { ...everyone, 'no token': 200, 'garbage token': 200 },
  },
  {
    call: 'GET /admin/all',
    prepare: async () => ({}),
    answer: { admins: expect.arrayContaining([expect.objectContaining(admin)]) as unknown },
    expected: everyone,
  },
  {
    call: 'POST /admin/signup',
    prepare: async () => ({
      payload: { username: unused(), password: testPassword, confirmPassword: testPassword, role: 'Admin' },
    }),
    answer: { admin: expect.objectContaining(admin) as unknown, waiting: null },
    expected: superAdminOnly,
  },
  {
    call: 'POST /admin/delete',
    // Deleting an administrator who may approve requests needs a second approver.
    prepare: async () => ({ payload: { username: await newUsername('Support') } }),
    answer: { admin: expect.objectContaining(admin) as unknown, waiting: null },
    expected: superAdminOnly,
  },
  {
    call: 'GET /tickets/all',
    prepare: async () => {
      await someTicket();
      return {};
    },
    answer: expect.objectContaining({ tickets: expect.arrayContaining([expect.objectContaining(ticket)]) as unknown }),
    expected: everyone,
  },
  {
    call: 'POST /tickets',
    prepare: async () => ({ payload: { type: 'Payout', description: 'Where is it?' } }),
    answer: ticket,
    expected: ticketWriters,
  },
  {
    call: 'GET /tickets/{id}',
    prepare: async () => ({ path: `/tickets/${await someTicket()}` }),
    answer: { ticket, userUuid: null, replies: [] },
    expected: everyone,
  },
  {
    call: 'PATCH /tickets/{id}/status',
    prepare: async () => ({ path: `/tickets/${await someTicket()}/status`, payload: { status: 'closed' } }),
    answer: { ticket: { ...ticket, status: 'closed' }, changed: true },
    expected: ticketWriters,
  },
  {
    call: 'POST /tickets/{id}/reply',
    prepare: async () => ({ path: `/tickets/${await someTicket()}/reply`, payload: { message: 'Soon' } }),
    answer: { ticket: { ...ticket, status: 'in_progress', response: 'Soon' }, reply },
    expected: ticketWriters,
  },
];

const texts: Record<number, { code: string; error: string }> = {
  401: { code: 'SignInRequired', error: 'Your session has ended. Please sign in again.' },
  403: { code: 'PermissionDenied', error: 'Your role does not allow this.' },
};

const refusal = (status: number) => ({
  type: `urn:bursar:problem:${texts[status]?.code}`,
  title: texts[status]?.error,
  status,
  ...texts[status],
  reference: id,
});

const cells = calls.flatMap((row) => callers.map((caller) => ({ ...row, caller, status: row.expected[caller] })));

test('the table has a cell for every call and every caller', () => {
  expect(calls).toHaveLength(9);
  expect(cells).toHaveLength(63);
});

test.each(cells)('$call as $caller: $status', async ({ call, caller, prepare, answer, status }) => {
  const [method = '', address = ''] = call.split(' ');
  const { path = address, payload } = await prepare();
  const answered = await curl(method, path, { token: tokens.get(caller), payload });
  expect(answered.status, JSON.stringify(answered.json)).toBe(status);
  expect(answered.json).toEqual(status === 200 ? answer : refusal(status));
  expect(answered.type).toContain(status === 200 ? 'application/json' : 'application/problem+json');
});

test('a created administrator is in the list and a deleted one is not; a new ticket is on top', async () => {
  const token = tokens.get('SuperAdmin');
  const username = unused();
  const payload = { username, password: testPassword, confirmPassword: testPassword, role: 'Admin' };
  const created = await curl('POST', '/admin/signup', { token, payload });
  const names = async () => {
    const { json } = await curl('GET', '/admin/all', { token });
    return (json as { admins: { username: string }[] }).admins.map((one) => one.username);
  };
  expect(created.json).toMatchObject({ admin: { username, role: 'Admin' } });
  expect(await names()).toContain(username);
  await curl('POST', '/admin/delete', { token, payload: { username } });
  expect(await names()).not.toContain(username);

  const newest = await someTicket();
  const { json } = await curl('GET', '/tickets/all', { token });
  expect((json as { tickets: { id: string }[] }).tickets[0]?.id).toBe(newest);
});
