import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { areCertainlyTooMany } from '#server/core/db/list.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { ticketList } from './queries.ts';
import { listTickets } from './service.ts';

const db = await testDatabase();
afterAll(() => db[Symbol.asyncDispose]());

// Enough rows to trust the estimate of the planner. Only the newest sixth has the word Outage.
await sql`
  insert into ticket (type, description, username, created_at)
  select case when n > 50000 then 'Outage' when n % 12 = 0 then 'Payout' else 'Withdrawal' end,
    'Text', 'user' || n % 11, timestamptz '2026-01-01' + (n / 3) * interval '1 second'
  from generate_series(1, 60000) as n`.execute(db.owner);
await sql`analyze ticket`.execute(db.owner);

async function wholeList(search: string) {
  const { rows } = await sql<{ id: string }>`
    select id from ticket where strpos(search_text, ${search}) > 0 order by created_at desc, id desc`.execute(db.owner);
  return rows.map(({ id }) => id);
}

async function firstPages(search: string) {
  const first = await listTickets(db.database, { search });
  const second = await listTickets(db.database, { search, cursor: first.nextCursor ?? undefined });
  const back = await listTickets(db.database, { search, cursor: second.previousCursor ?? undefined });
  return [first, second, back];
}

test.each([
  ['in every ticket', 'user', { count: 10_000, capped: true }],
  ['in most tickets, but in none of the newest', 'withdrawal', { count: 10_000, capped: true }],
  ['in exactly as many tickets as are counted, all of them the newest', 'outage', { count: 10_000, capped: false }],
  ['in a few thousand tickets', 'payout', { count: 4_166, capped: false }],
  ['in no ticket', 'nowhere', { count: 0, capped: false }],
])('a word %s is found in order and counted', async (_where, search, total) => {
  const whole = await wholeList(search);
  const pages = await firstPages(search);
  // Without a second page there is no cursor to it, so all three requests return the first page.
  const second = whole.length > 25 ? whole.slice(25, 50) : whole;
  const expected = [whole.slice(0, 25), second, whole.slice(0, 25)];
  expect(pages.map(({ tickets }) => tickets.map(({ id }) => id))).toEqual(expected);
  for (const page of pages) expect(page.total).toEqual(total);
});

test('counting is skipped only for words that certainly exceed the limit', async () => {
  const words = ['user', 'withdrawal', 'outage', 'payout', 'nowhere'];
  const skipped = words.map((search) => {
    const list = ticketList(db.database, { search, sort: '-createdAt', cursor: undefined, limit: 25 });
    return areCertainlyTooMany(db.database, list, list.searchFilter?.indexLookup ?? sql`true`);
  });
  expect(await Promise.all(skipped)).toEqual([true, true, false, false, false]);
});
