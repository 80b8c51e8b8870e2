import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { unattendedHeader } from 'contract/auth.ts';
import type { PermissionSet } from 'contract/core/permissions.ts';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { keyedHashes } from '#server/core/keys.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { approved } from '#server/core/testing/second.ts';
import { addAdmin, testPassword, testServer } from '#server/core/testing/server.ts';
import { endSessionsIn } from '#server/core/testing/session.ts';
import { eventually } from '#server/core/testing/stream.ts';
import { authJobs } from './jobs.ts';
import { selectSession } from './queries.ts';
import { endSessions } from './sessions.ts';

const { db, server } = await testEnvironment();
const second = await testServer(db.url);
afterAll(() => second[Symbol.asyncDispose]());

await addAdmin(db.database, { username: 'root', role: 'SuperAdmin' });
await addAdmin(db.database, { username: 'approver', role: 'SuperAdmin' });
const rootToken = await server.signIn('root');
const approverToken = await server.signIn('approver');

const me = async (token: string, on = server) => (await on.call('GET', '/api/auth/me', { token })).status;
const sessionsOf = async (adminId: string) =>
  db.owner.selectFrom('session').select(['id', 'lastUsedAt']).where('adminId', '=', adminId).execute();

const waitingForLocks = async () =>
  (
    await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
      db.owner,
    )
  ).rows.length;

let added = 0;
async function someone(permissionSet?: PermissionSet) {
  added += 1;
  const admin = await addAdmin(db.database, {
    username: `someone${added}`,
    ...(permissionSet && { permissionSet }),
  });
  return { ...admin, token: await server.signIn(admin.username) };
}

const leaveIdle = (adminId: string, interval: string) =>
  sql`update session set last_used_at = now() - ${interval}::interval where admin_id = ${adminId}`.execute(db.owner);

test('a session ends after thirty idle minutes and not before', async () => {
  const { id, token } = await someone();
  await leaveIdle(id, '29 minutes');
  expect(await me(token)).toBe(200);
  await leaveIdle(id, '31 minutes');
  expect(await me(token)).toBe(401);
});

test('using a session resets its idle time', async () => {
  const { id, token } = await someone();
  await leaveIdle(id, '29 minutes');
  await me(token);
  const [session] = await sessionsOf(id);
  expect(Date.now() - Number(session?.lastUsedAt)).toBeLessThan(10_000);
});

test('a session ends at its absolute end even if it is in use', async () => {
  const { id, token } = await someone();
  const { json } = await server.call('GET', '/api/auth/me', { token });
  const endsIn = Date.parse(String((json['me'] as Record<string, unknown>)['sessionEndsAt'])) - Date.now();
  expect(endsIn / 3_600_000).toBeCloseTo(12, 1);
  await endSessionsIn(db.owner, id, -1_000);
  expect(await me(token)).toBe(401);
});

test('the session lifetimes are configurable', async () => {
  await using short = await testServer(db.url, { BURSAR_SESSION_IDLE_MINUTES: '5', BURSAR_SESSION_MINUTES: '60' });
  const { id, username } = await someone();
  const token = await short.signIn(username);
  await leaveIdle(id, '6 minutes');
  expect(await me(token, short)).toBe(401);
});

test('the sixth session ends the oldest one', async () => {
  const { id, username, token } = await someone();
  const tokens = [token];
  for (let index = 0; index < 5; index += 1) tokens.push(await server.signIn(username));
  expect(await Promise.all(tokens.map((one) => me(one)))).toEqual([401, 200, 200, 200, 200, 200]);
  expect(await sessionsOf(id)).toHaveLength(5);
});

test('nine concurrent sign-ins leave exactly five working sessions', async () => {
  const { id, username } = await someone();
  // Strangers sign in a few at a time, so these come from a known device.
  const signIn = (headers: Record<string, string>) =>
    server.call('POST', '/api/admin/login', { body: { username, password: testPassword }, headers });
  const cookies = (await signIn({ origin: server.address })).headers.getSetCookie();
  const device = cookies.find((text) => text.startsWith('__Host-bursar-device=')) ?? '';
  // Every sign-in reaches its last step before the first one commits.
  const answers = await db.owner.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('audit'))`.execute(tx);
    const started = Array.from({ length: 9 }, () => signIn({ cookie: device.split(';')[0] ?? '' }));
    await eventually(async () => (await waitingForLocks()) === 9, 20_000);
    return started;
  });
  const tokens = (await Promise.all(answers)).map(({ json }) => String(json['token']));
  expect(await sessionsOf(id)).toHaveLength(5);
  const alive = await Promise.all(tokens.map((token) => me(token)));
  expect(alive.filter((status) => status === 200)).toHaveLength(5);
  expect(await me(await server.signIn(username))).toBe(200);
});

test('signing out on one server signs out on both', async () => {
  const { token } = await someone();
  expect(await me(token, second)).toBe(200);
  const out = await second.call('POST', '/api/auth/logout', { token });
  expect(out.status).toBe(200);
  expect(out.json).toEqual({});
  expect([await me(token), await me(token, second)]).toEqual([401, 401]);
});

test('signing out clears the cookie and keeps the other sessions', async () => {
  const { username, token } = await someone();
  const other = await server.signIn(username);
  const out = await server.call('POST', '/api/auth/logout', { token });
  expect(out.headers.getSetCookie().join()).toMatch(/__Host-bursar=;.*Expires=Thu, 01 Jan 1970/);
  expect(await me(other)).toBe(200);
});

test('a token from one server works on the other', async () => {
  const { token, username } = await someone();
  const opened = await second.call('POST', '/api/tickets', { token, body: { type: 'Hello', description: 'There' } });
  expect(opened.json['username']).toBe(username);
});

const change = (id: string, body: Record<string, unknown>) =>
  second.call('PATCH', `/api/admin/${id}`, { token: rootToken, body: { version: 1, ...body } });

test.each([
  ['role', { role: 'SuperAdmin' }],
  ['permission set', { permissionSet: 'Auditor' }],
])('a change of %s ends every session by the next call', async (_what, body) => {
  const { id, token, username } = await someone();
  const other = await second.signIn(username);
  const answer = await change(id, body);
  expect(answer.status).toBe(200);
  await approved(second, answer, approverToken);
  expect([await me(token), await me(other)]).toEqual([401, 401]);
});

test('a change of username ends no session', async () => {
  const { id, token } = await someone();
  expect((await change(id, { newUsername: `renamed${added}` })).status).toBe(200);
  expect(await me(token)).toBe(200);
});

test.each([
  ['who may approve, with a second approver,', undefined],
  ['who may not approve', 'Support'],
] as const)('deleting an administrator %s ends every session by the next call and prevents sign-in', async (_, set) => {
  const { token, username } = await someone(set);
  const gone = await second.call('POST', '/api/admin/delete', { token: rootToken, body: { username } });
  expect(gone.status).toBe(200);
  expect(await me(token)).toBe(set ? 401 : 200);
  await approved(second, gone, approverToken);
  expect(await me(token)).toBe(401);
  const again = await server.call('POST', '/api/admin/login', { body: { username, password: testPassword } });
  expect(again.status).toBe(401);
});

test('deleting an administrator during a sign-in leaves no session', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id, username } = await someone('Support');
    const body = { username, password: testPassword };
    const burst = Array.from({ length: 3 }, () => server.call('POST', '/api/admin/login', { body }));
    await second.call('POST', '/api/admin/delete', { token: rootToken, body: { username } });
    await Promise.all(burst);
    expect(await sessionsOf(id)).toEqual([]);
  }
});

test('the sweep removes expired sessions, attempts and devices, and nothing else', async () => {
  const [living, idle, over] = [await someone(), await someone(), await someone()];
  await leaveIdle(idle.id, '31 minutes');
  await endSessionsIn(db.owner, over.id, -1_000);
  await sql`insert into login_attempt (key, points, expire) values ('past', 1, 1), ('lasting', 1, 99999999999999)`.execute(
    db.owner,
  );
  await sql`insert into known_device values ('\\x01', ${living.id}, now() - interval '181 days'), ('\\x02', ${living.id}, now())`.execute(
    db.owner,
  );

  for (const { run } of authJobs(db.config)) await run(db.worker);

  expect((await sessionsOf(living.id)).length).toBe(1);
  expect([...(await sessionsOf(idle.id)), ...(await sessionsOf(over.id))]).toEqual([]);
  const attempts = await db.owner
    .selectFrom('loginAttempt')
    .select('key')
    .where('key', 'in', ['past', 'lasting'])
    .execute();
  expect(attempts).toEqual([{ key: 'lasting' }]);
  expect(
    await db.owner.selectFrom('knownDevice').select('deviceHash').where('adminId', '=', living.id).execute(),
  ).toHaveLength(1);
});

test('a call is refused if its session ends before its body arrives', async () => {
  const { id, username } = await addAdmin(db.database, { username: 'holding', role: 'SuperAdmin' });
  const held = await server.signIn(username);
  const body = JSON.stringify({
    username: 'planted',
    password: testPassword,
    confirmPassword: testPassword,
    role: 'Admin',
  });
  const { hostname, port } = new URL(server.address);
  const socket = connect({ host: hostname, port: Number(port) });
  const answered = text(socket);
  socket.write(
    `POST /api/admin/signup HTTP/1.1\r\nhost: bursar\r\nauthorization: Bearer ${held}\r\nconnection: close\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 1)}`,
  );
  await wait(300);
  await db.database.transaction().execute((tx) => endSessions(tx, id));
  socket.write(body.slice(1));
  expect(await answered).toMatch(/^HTTP\/1\.1 401 /);
  expect(await db.owner.selectFrom('admin').select('id').where('username', '=', 'planted').execute()).toEqual([]);
});

test('the background requests of an unattended window do not keep its session alive', async () => {
  const { id, token } = await someone();
  const usedAgo = async () => Date.now() - Number((await sessionsOf(id))[0]?.lastUsedAt);
  await leaveIdle(id, '20 minutes');
  const unattended = await server.call('GET', '/api/tickets/all', { token, headers: { [unattendedHeader]: 'true' } });
  expect(unattended.status).toBe(200);
  expect(await usedAgo()).toBeGreaterThan(19 * 60_000);
  expect((await server.call('GET', '/api/tickets/all', { token })).status).toBe(200);
  expect(await usedAgo()).toBeLessThan(60_000);
});

test('calls that arrive together share one session query, and a later call runs its own', async () => {
  const { id, token } = await someone();
  const lookUp = () => selectSession(db.database, keyedHashes('session tokens', token), 30);
  const first = lookUp();
  expect(lookUp()).toBe(first);
  expect(await first).toMatchObject({ id });
  await db.database.transaction().execute((tx) => endSessions(tx, id));
  expect(await lookUp()).toBeUndefined();
});

test('a call that arrives while a session query is running does not use its result', async () => {
  const { token } = await someone();
  const lookUp = () => selectSession(db.database, keyedHashes('session tokens', token), 30);
  const sent = lookUp();
  await nextTurn();
  const later = lookUp();
  expect(later).not.toBe(sent);
  await Promise.all([sent, later]);
});
