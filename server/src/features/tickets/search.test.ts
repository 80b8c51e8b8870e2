import { sql } from 'kysely';
import { TicketSort } from 'contract/tickets.ts';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin } from '#server/core/testing/server.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'ann', permissionSet: 'Auditor' });
const token = await server.signIn('ann');

// One word is in several times as many tickets as are counted, one in slightly more; and a few tickets have words
// with the wildcards of LIKE.
await db.owner.transaction().execute(async (tx) => {
  await sql`set local statement_timeout = 0`.execute(tx);
  for (const [word, rows] of [
    ['Common', 33_000],
    ['Middling', 10_400],
  ] as const) {
    await sql`
    insert into ticket (type, description, username, status, created_at)
    select ${word} || ' subject ' || n % 7, 'Text', 'user' || n % 11, (enum_range(null::ticket_status))[1 + n % 6],
      timestamptz '2026-01-01' + (n / 3) * interval '1 second'
    from generate_series(1, ${rows}::int) as n`.execute(tx);
  }
});
const odd = [
  '100% sure',
  '1000 sure',
  'snake_case',
  'snakeXcase',
  'back\\slash',
  'back/slash',
  'ÄRGER',
  'ärger',
  "o'clock",
];
// Ids are searched too, so these are fixed: a random one could contain a search term by chance.
await sql`
  insert into ticket (id, type, description, username)
  select ('ffffffff-ffff-7fff-bfff-fffffffffff' || n)::uuid, type, 'secretword', 'Zoë'
  from unnest(${odd}::text[]) with ordinality as t (type, n)`.execute(db.owner);

await sql`analyze ticket`.execute(db.owner);

type List = {
  tickets: { id: string; type: string }[];
  nextCursor: string | null;
  total: { count: number; capped: boolean };
};

async function find(query: Record<string, string>) {
  const { status, json } = await server.call('GET', `/api/tickets/all?${new URLSearchParams(query).toString()}`, {
    token,
  });
  expect(status, JSON.stringify(json)).toBe(200);
  return json as List;
}
const types = async (search: string) =>
  (await find({ search, limit: '100' })).tickets.map(({ type }) => type).toSorted();

test.each([
  ['100% s', ['100% sure']],
  ['100', ['100% sure', '1000 sure']],
  ['snake_case', ['snake_case']],
  ['ack\\s', ['back\\slash']],
  ['ack\\\\', []],
  ['100%%', []],
  ['snake__', []],
  ["o'clock", ["o'clock"]],
  ['SNAKE_', ['snake_case']],
])('searching %s finds exactly %j', async (search, found) => {
  const matches = await types(search);
  expect(matches.filter((type) => odd.includes(type))).toEqual(found.toSorted());
});

test.each(['', 'ab', '---', 'a b c', '%%%', 'a'.repeat(101)])('a search for %j is refused', async (search) => {
  const { status } = await server.call('GET', `/api/tickets/all?${new URLSearchParams({ search }).toString()}`, {
    token,
  });
  expect(status).toBe(400);
});

test('a search matches subject, name and id in any case, but not the description', async () => {
  expect(await types('zoë')).toHaveLength(odd.length);
  expect(await types('secretword')).toEqual([]);
  const [ticket] = (await find({ search: 'snake_case' })).tickets;
  expect((await find({ search: String(ticket?.id).toUpperCase() })).tickets).toEqual([ticket]);
});

async function wholeList(search: string, sort: TicketSort, status: string | undefined) {
  const name = sort.replace('-', '');
  const direction = sort.startsWith('-') ? 'desc' : 'asc';
  const order = sql.raw(`${name === 'createdAt' ? 'created_at' : name} ${direction}, id ${direction}`);
  const rows = await sql<{ id: string }>`
    select id from ticket where strpos(search_text, lower(${search})) > 0
      and (${status ?? null}::text is null or status::text = ${status ?? null}) order by ${order}`.execute(db.owner);
  return rows.rows.map(({ id }) => id);
}

const cases = TicketSort.options.flatMap((sort) => [
  { search: 'common', sort, capped: true },
  { search: 'middling', sort, capped: true },
  { search: 'common subject 3', sort, capped: false },
  { search: 'middling', sort, capped: false, status: 'rejected' },
]);

test.each(cases)('the first pages of a search match the whole list: %o', async ({ capped, ...query }) => {
  const whole = await wholeList(query.search, query.sort, query.status);
  expect(whole.length > 10_000).toBe(capped);
  const request = { ...query, limit: '60' };
  const pages = [await find(request)];
  while (pages.length < 4) pages.push(await find({ ...request, cursor: String(pages.at(-1)?.nextCursor) }));
  expect(pages.flatMap(({ tickets }) => tickets.map(({ id }) => id))).toEqual(whole.slice(0, 240));
  const total = capped ? { count: 10_000, capped } : { count: whole.length, capped };
  for (const page of pages) expect(page.total).toEqual(total);
});
