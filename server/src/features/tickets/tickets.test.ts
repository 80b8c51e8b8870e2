import { sql } from 'kysely';
import { TicketStatus } from 'contract/tickets.ts';
import { afterAll, expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin, testServer } from '#server/core/testing/server.ts';

const { db, server } = await testEnvironment();
const second = await testServer(db.url);
afterAll(() => second[Symbol.asyncDispose]());

await addAdmin(db.database, { username: 'ann' });
await addAdmin(db.database, { username: 'bea', permissionSet: 'Support' });
const token = await server.signIn('ann');
const beaToken = await second.signIn('bea');

type Ticket = { id: string; status: TicketStatus; response: string | null };

async function open(type = 'Lost wallet', description = 'Help') {
  const { status, json } = await server.call('POST', '/api/tickets', { token, body: { type, description } });
  expect(status).toBe(200);
  return json as Ticket;
}
const setStatus = (id: string, status: string, on = server) =>
  on.call('PATCH', `/api/tickets/${id}/status`, { token, body: { status } });
const reply = (id: string, message: string) =>
  server.call('POST', `/api/tickets/${id}/reply`, { token, body: { message } });
const read = async (id: string) => (await server.call('GET', `/api/tickets/${id}`, { token })).json;

test('a new ticket is the first of the list', async () => {
  await open('An older one');
  const opened = await open();
  const list = await server.call('GET', '/api/tickets/all', { token });
  expect((list.json['tickets'] as Ticket[])[0]).toEqual(opened);
  expect(list.json['total']).toEqual({ count: 2, capped: false });
});

test('a ticket is opened, answered, waiting, resolved, closed, reopened and rejected', async () => {
  const opened = await open('Payout missing', 'See https://example.com/a?b=1');
  expect(opened).toEqual({
    id: expect.any(String),
    type: 'Payout missing',
    description: 'See https://example.com/a?b=1',
    username: 'ann',
    status: 'open',
    createdAt: expect.stringMatching(/Z$/),
    response: null,
  });
  expect(await read(opened.id)).toEqual({ ticket: opened, userUuid: null, replies: [] });

  const replied = await second.call('POST', `/api/tickets/${opened.id}/reply`, {
    token: beaToken,
    body: { message: 'On it' },
  });
  expect(replied.json['reply']).toEqual({
    id: expect.any(String),
    sender: 'bea',
    message: 'On it',
    createdAt: expect.any(String),
  });
  expect(replied.json['ticket']).toMatchObject({ status: 'in_progress', response: 'On it' });
  await reply(opened.id, 'Done');
  for (const status of ['awaiting_user', 'resolved', 'closed', 'open', 'rejected']) {
    expect((await setStatus(opened.id, status)).json['ticket']).toMatchObject({ id: opened.id, status });
  }
  expect(await read(opened.id)).toMatchObject({
    ticket: { status: 'rejected', response: 'Done' },
    replies: [
      { sender: 'bea', message: 'On it' },
      { sender: 'ann', message: 'Done' },
    ],
  });
});

test('a ticket links to the user who wrote it, and to no other user of that name', async () => {
  const written = async (username: string, when: string) => {
    const { rows } = await sql<{ id: string }>`
      insert into ticket (type, description, username, created_at)
      values ('Where is it', 'Text', ${username}, now() + ${when}::interval) returning id`.execute(db.owner);
    return ((await read(rows[0]?.id ?? '')) as { userUuid: string | null }).userUuid;
  };
  const writer = await addUser(db.owner, { username: 'Writer' });
  expect(await written('Writer', '0 s')).toBe(writer.id);
  expect(await written('writer', '0 s')).toBeNull();
  expect(await written('Writer', '-1 day')).toBeNull();
  await addUser(db.owner, { username: 'ann' });
  const { json } = await server.call('POST', '/api/tickets', { token, body: { type: 'By ann', description: 'Text' } });
  expect(await read(String(json['id']))).toMatchObject({ userUuid: null });
  await sql`update platform_user set retired_at = now() where id = ${writer.id}::uuid`.execute(db.owner);
  expect(await written('Writer', '0 s')).toBeNull();
});

test.each(TicketStatus.options.filter((status) => status !== 'open'))(
  'a reply does not change the status %s',
  async (status) => {
    const { id } = await open();
    await setStatus(id, status);
    expect((await reply(id, 'Still here')).json['ticket']).toMatchObject({ status, response: 'Still here' });
  },
);

test('text is stored exactly as entered', async () => {
  const odd = `<b>bold</b> 'quotes' "double" \\ %_; drop table ticket; -- \u202E 𝒳 👩‍👩‍👧`;
  const opened = await open(odd, odd);
  expect(opened).toMatchObject({ type: odd, description: odd });
  const replied = await reply(opened.id, odd);
  expect(replied.json['reply']).toMatchObject({ message: odd });
});

test.each([
  ['no subject', { type: ' ', description: 'Help' }],
  ['no description', { type: 'Lost' }],
  ['a subject that is too long', { type: 'x'.repeat(201), description: 'Help' }],
  ['a description that is too long', { type: 'Lost', description: 'x'.repeat(5_001) }],
  ['the username of another', { type: 'Lost', description: 'Help', username: 'bea' }],
  ['a status', { type: 'Lost', description: 'Help', status: 'closed' }],
])('a new ticket with %s is rejected', async (_what, body) => {
  expect((await server.call('POST', '/api/tickets', { token, body })).status).toBe(400);
});

test('every call refuses an unknown ticket', async () => {
  const unknown = '019c0000-0000-7000-8000-000000000000';
  const answers = [
    await server.call('GET', `/api/tickets/${unknown}`, { token }),
    await setStatus(unknown, 'closed'),
    await reply(unknown, 'Hello?'),
  ];
  for (const { status, json } of answers) {
    expect(status).toBe(404);
    expect(json['error']).toBe('This ticket no longer exists.');
  }
  expect((await server.call('GET', '/api/tickets/17', { token })).status).toBe(400);
});

test('an unknown status and an empty reply are rejected', async () => {
  const { id } = await open();
  expect((await setStatus(id, 'Closed')).status).toBe(400);
  expect((await reply(id, '  ')).status).toBe(400);
});

test('setting the current status repeated succeeds and changes nothing', async () => {
  const { id } = await open();
  const first = await setStatus(id, 'resolved');
  expect(first.json).toMatchObject({ ticket: { id, status: 'resolved' }, changed: true });
  const repeated = await setStatus(id, 'resolved');
  expect(repeated.status).toBe(200);
  expect(repeated.json).toEqual({ ticket: first.json['ticket'], changed: false });
});

test('two administrators close a ticket concurrently: one change, and the other response reports no change', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { id } = await open();
    const answers = await Promise.all([setStatus(id, 'closed'), setStatus(id, 'closed', second)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.map(({ json }) => String(json['changed'])).toSorted()).toEqual(['false', 'true']);
    const acts = db.owner
      .selectFrom('auditEntry')
      .select('seq')
      .where('subjectId', '=', id)
      .where('action', '=', 'tickets.set-status');
    expect(await acts.execute()).toHaveLength(1);
  }
});

test('concurrent replies are all kept, and one of them is the response', async () => {
  const { id } = await open();
  await Promise.all(Array.from({ length: 8 }, (_, index) => reply(id, `Reply ${index}`)));
  const { ticket, replies } = (await read(id)) as { ticket: Ticket; replies: { message: string }[] };
  expect(replies).toHaveLength(8);
  expect(new Set(replies.map(({ message }) => message)).size).toBe(8);
  expect(replies.map(({ message }) => message)).toContain(ticket.response);
});

test.each([
  ['Support', 200],
  ['Finance', 403],
  ['Auditor', 403],
] as const)('%s can read tickets; writing returns %i', async (permissionSet, expected) => {
  const { username } = await addAdmin(db.database, { username: `only.${permissionSet}`, permissionSet });
  const theirs = await server.signIn(username);
  const { id } = await open();
  expect((await server.call('GET', '/api/tickets/all', { token: theirs })).status).toBe(200);
  expect((await server.call('GET', `/api/tickets/${id}`, { token: theirs })).status).toBe(200);
  const written = [
    await server.call('POST', '/api/tickets', { token: theirs, body: { type: 'Mine', description: 'Own' } }),
    await server.call('POST', `/api/tickets/${id}/reply`, { token: theirs, body: { message: 'Hello' } }),
    await server.call('PATCH', `/api/tickets/${id}/status`, { token: theirs, body: { status: 'closed' } }),
  ];
  expect(written.map(({ status }) => status)).toEqual([expected, expected, expected]);
});

test('tickets cannot be deleted in SQL, and the application cannot change or delete replies', async () => {
  const inSql = (database: typeof db.owner, text: string) =>
    database.transaction().execute((tx) => sql.raw(text).execute(tx));
  await expect(inSql(db.owner, 'delete from ticket')).rejects.toMatchObject({ code: 'BU002' });
  await expect(inSql(db.owner, 'truncate ticket cascade')).rejects.toMatchObject({ code: 'BU002' });
  await expect(inSql(db.database, 'delete from ticket_reply')).rejects.toMatchObject({ code: '42501' });
  await expect(inSql(db.database, `update ticket_reply set message = 'x'`)).rejects.toMatchObject({ code: '42501' });
  await expect(inSql(db.worker, `update ticket set status = 'closed'`)).rejects.toMatchObject({ code: '42501' });
});
