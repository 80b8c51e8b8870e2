import { sql } from 'kysely';
import { TicketStatus } from 'contract/tickets.ts';
import { expect, test } from 'vitest';
import { countersOf, foldBy, whileFolding } from '#server/core/testing/counters.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { foldCounts } from './queries.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'ann' });
const token = await server.signIn('ann');

const fold = foldBy(db, foldCounts);
const { expectExact, expectFolded, expectNothingCountedOf } = countersOf(db, { table: 'ticket' });

const anyOf = <T>(list: readonly T[]) => list[Math.floor(Math.random() * list.length)];

async function writeAtRandom(ids: string[]) {
  const id = anyOf(ids);
  if (id === undefined || Math.random() < 0.3) {
    const { json } = await server.call('POST', '/api/tickets', { token, body: { type: 'Any', description: 'Text' } });
    ids.push(String(json['id']));
    return;
  }
  const call =
    Math.random() < 0.3
      ? server.call('POST', `/api/tickets/${id}/reply`, { token, body: { message: 'Hello' } })
      : server.call('PATCH', `/api/tickets/${id}/status`, { token, body: { status: anyOf(TicketStatus.options) } });
  expect([200, 409]).toContain((await call).status);
}

test('the counters are exact after random writes', async () => {
  const ids: string[] = [];
  for (let step = 0; step < 80; step += 1) await writeAtRandom(ids);
  await expectExact();
  await fold();
  await expectExact();
});

test('the counters stay exact while several workers fold them during writes', async () => {
  const ids: string[] = [];
  await whileFolding({ fold, look: expectExact, write: () => writeAtRandom(ids) });
});

test('folding leaves one row per status', async () => {
  await fold();
  await expectFolded();
});

test('every row that a statement changes is counted', async () => {
  await sql`insert into ticket (type, description, username, status)
    select 'Many', 'Text', 'bulk', (enum_range(null::ticket_status))[1 + n % 6] from generate_series(1, 500) as n`.execute(
    db.owner,
  );
  await sql`update ticket set status = 'closed' where username = 'bulk' and status in ('open', 'rejected')`.execute(
    db.owner,
  );
  await sql`update ticket set response = 'same status' where username = 'bulk'`.execute(db.owner);
  await expectExact();
});

test('changes that are rolled back are not counted', async () => {
  await expectNothingCountedOf(`update ticket set status = 'rejected'`);
});

test('the totals of the list match the tickets', async () => {
  const { rows } = await sql<{
    status: string;
    count: bigint;
  }>`select status::text, count(*) from ticket group by status`.execute(db.owner);
  for (const { status, count } of rows) {
    const { json } = await server.call('GET', `/api/tickets/all?status=${status}&limit=1`, { token });
    expect(json['total']).toEqual({ count: Number(count), capped: false });
  }
});

test('the number of open tickets matches the tickets', async () => {
  await server.call('POST', '/api/tickets', { token, body: { type: 'Open', description: 'Text' } });
  const { rows } = await sql<{ open: bigint }>`
    select count(*) as open from ticket where status = 'open'`.execute(db.owner);
  expect(rows[0]?.open).toBeGreaterThan(0n);
  expect((await server.call('GET', '/api/tickets/count', { token })).json).toEqual({ open: Number(rows[0]?.open) });
});
