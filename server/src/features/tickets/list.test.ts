import fc from 'fast-check';
import { sql } from 'kysely';
import { TicketSort } from 'contract/tickets.ts';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUser } from '#server/core/testing/user.ts';
import { propertyRuns } from '#server/core/testing/property-runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'ann', permissionSet: 'Auditor' });
const token = await server.signIn('ann');

// Few distinct values in many rows: ties in every column, and times a microsecond apart.
await sql`
  insert into ticket (type, description, username, status, created_at)
  select (array['Wallet', 'wallet', 'Éclair', 'a%b_c\\d', 'Payout'])[1 + n % 5], 'About ' || n, 'user' || n % 3,
    (enum_range(null::ticket_status))[1 + n % 6], timestamptz '2026-01-01' + (n / 4) * interval '1 microsecond'
  from generate_series(1, 207) as n`.execute(db.owner);

type List = { tickets: { id: string }[]; nextCursor: string | null; previousCursor: string | null; total: unknown };

async function list(query: Record<string, string>) {
  const { status, json } = await server.call('GET', `/api/tickets/all?${new URLSearchParams(query).toString()}`, {
    token,
  });
  expect(status, JSON.stringify(json)).toBe(200);
  return json as List;
}

/** The whole list, as PostgreSQL sorts it. */
async function wholeList(sort: TicketSort, status?: string) {
  const column = { createdAt: 'created_at' }[sort.replace('-', '')] ?? sort.replace('-', '');
  const direction = sort.startsWith('-') ? 'desc' : 'asc';
  const order = sql.raw(`${column} ${direction}, id ${direction}`);
  const rows = await sql<{ id: string }>`
    select id from ticket where ${status ?? null}::text is null or status::text = ${status ?? null} order by ${order}`.execute(
    db.owner,
  );
  return rows.rows.map(({ id }) => id);
}

const ids = ({ tickets }: List) => tickets.map(({ id }) => id);

const cases = TicketSort.options.flatMap((sort) => [{ sort }, { sort, status: 'awaiting_user' }]);

test.each(cases)('paging forward to the end and back returns the whole list: %o', async (query) => {
  const whole = await wholeList(query.sort, 'status' in query ? query.status : undefined);
  expect(whole.length).toBeGreaterThan(30);
  const request = { ...query, limit: '17' };

  const forward = [await list(request)];
  for (let cursor = forward[0]?.nextCursor; cursor; cursor = forward.at(-1)?.nextCursor) {
    forward.push(await list({ ...request, cursor }));
  }
  expect(forward.flatMap(ids)).toEqual(whole);
  expect(forward[0]?.previousCursor).toBeNull();

  const backward: List[] = [];
  for (let cursor = forward.at(-1)?.previousCursor; cursor; cursor = backward.at(-1)?.previousCursor) {
    backward.push(await list({ ...request, cursor }));
  }
  expect(backward.reverse().map(ids)).toEqual(forward.slice(0, -1).map(ids));
  for (const page of forward) expect(page.total).toEqual({ count: whole.length, capped: false });
});

/** The URLs of a Link header by their relation. */
const linksIn = (headers: Headers) =>
  new Map([...(headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, to, rel]) => [rel, to]));

test('response headers give the total and links to the next and the previous page', async () => {
  const whole = await wholeList('-createdAt', 'open');
  const seen: string[][] = [];
  let address: string | undefined = '/api/tickets/all?status=open&limit=10';
  let back: string | undefined;
  while (address !== undefined && seen.length < 100) {
    const { json, headers } = await server.call('GET', address, { token });
    expect(headers.get('x-total-count')).toBe(String(whole.length));
    seen.push(ids(json as List));
    address = linksIn(headers).get('next');
    back = linksIn(headers).get('prev');
  }
  expect(seen.flat()).toEqual(whole);
  expect(ids((await server.call('GET', String(back), { token })).json as List)).toEqual(seen.at(-2));
  const small = await server.call('GET', '/api/tickets/all?status=open&limit=100', { token });
  expect(small.headers.get('link')).toBeNull();
});

test('a page reached by going back leads forward again', async () => {
  const first = await list({ limit: '10' });
  const next = await list({ limit: '10', cursor: String(first.nextCursor) });
  const back = await list({ limit: '10', cursor: String(next.previousCursor) });
  const forth = await list({ limit: '10', cursor: String(back.nextCursor) });
  expect(ids(back)).toEqual(ids(first));
  expect(ids(forth)).toEqual(ids(next));
});

test('by default the list is newest first with 25 rows per page', async () => {
  expect(ids(await list({}))).toEqual((await wholeList('-createdAt')).slice(0, 25));
  expect((await list({ limit: '100' })).tickets).toHaveLength(100);
});

test.each([
  'limit=0',
  'limit=101',
  'limit=ten',
  'limit=-1',
  'limit=1e1',
  'sort=id',
  'status=Open',
  'search=ab',
  'page=2',
  'limit=5&limit=6',
])('a list request with %s is rejected', async (query) => {
  expect((await server.call('GET', `/api/tickets/all?${query}`, { token })).status).toBe(400);
});

test('the longest subject in any script has a next and a previous page', async () => {
  for (const letter of ['語', '"', '\u0001', '𝒳']) {
    const row = { type: letter.repeat(200 / letter.length), description: 'Long', username: 'longest' };
    await db.owner.transaction().execute((tx) => tx.insertInto('ticket').values([row, row]).execute());
  }
  for (const sort of ['type', '-type']) {
    const pages = [await list({ sort, search: 'longest', limit: '1' })];
    for (let cursor = pages[0]?.nextCursor; cursor; cursor = pages.at(-1)?.nextCursor) {
      pages.push(await list({ sort, search: 'longest', limit: '1', cursor }));
    }
    expect(new Set(pages.flatMap(ids)).size).toBe(8);
    for (const { previousCursor } of pages.slice(1)) {
      expect(
        (await list({ sort, search: 'longest', limit: '1', cursor: String(previousCursor) })).tickets,
      ).toHaveLength(1);
    }
  }
});

const written = (place: unknown) => Buffer.from(JSON.stringify(place)).toString('base64url');
const id = '019c0000-0000-7000-8000-000000000000';

test.each([
  ['no text at all', ''],
  ['invalid base64', '%%%'],
  ['invalid JSON', Buffer.from('{').toString('base64url')],
  ['another sort', written({ sort: 'type', way: 'next', at: ['x', id], row: 1 })],
  ['another sort direction', written({ sort: 'createdAt', way: 'next', at: ['2026-01-01', id], row: 1 })],
  ['an unknown paging direction', written({ sort: '-createdAt', way: 'sideways', at: ['2026-01-01', id], row: 1 })],
  ['an invalid id', written({ sort: '-createdAt', way: 'next', at: ['2026-01-01', "' or true --"], row: 1 })],
  ['a position without an id', written({ sort: '-createdAt', way: 'next', at: ['2026-01-01'], row: 1 })],
  ['an unknown field', written({ sort: '-createdAt', way: 'next', at: ['2026-01-01', id], more: 1 })],
  ['a number as its position', written({ sort: '-createdAt', way: 'next', at: [1, id], row: 1 })],
  ['an invalid time', written({ sort: '-createdAt', way: 'next', at: ['yesterday-ish', id], row: 1 })],
  ['a time out of range', written({ sort: '-createdAt', way: 'next', at: ['999999-01-01', id], row: 1 })],
  ['an invalid month', written({ sort: '-createdAt', way: 'next', at: ['2026-13-01', id], row: 1 })],
  ['U+0000', written({ sort: '-createdAt', way: 'next', at: ['\u0000', id], row: 1 })],
  ['far too much text', 'x'.repeat(5_000)],
])('a cursor with %s is refused without a server error', async (_what, cursor) => {
  const { status } = await server.call('GET', `/api/tickets/all?cursor=${encodeURIComponent(cursor)}`, { token });
  expect([400, 422]).toContain(status);
});

test('a cursor with an unknown status is refused', async () => {
  const cursor = written({ sort: 'status', way: 'next', at: ['nonsense', id], row: 1 });
  expect((await server.call('GET', `/api/tickets/all?sort=status&cursor=${cursor}`, { token })).status).toBe(400);
});

test('no cursor causes a server error', async () => {
  const place = fc.record({
    sort: fc.constantFrom(...TicketSort.options),
    way: fc.constantFrom('next', 'previous'),
    at: fc.tuple(fc.string({ unit: 'binary', maxLength: 40 }), fc.constantFrom(id, id.toUpperCase(), '')),
    row: fc.integer({ min: 1 }),
  });
  const anyCursor = fc.oneof(
    place.map((it) => ({ sort: it.sort, cursor: written(it) })),
    fc.record({ sort: fc.constant('type'), cursor: fc.string() }),
  );
  await fc.assert(
    fc.asyncProperty(anyCursor, async (query) => {
      const { status } = await server.call('GET', `/api/tickets/all?${new URLSearchParams(query).toString()}`, {
        token,
      });
      expect(status).toBeLessThan(500);
    }),
    propertyRuns({ gate: 50, thorough: 150 }),
  );
}, 300_000);

test('a cursor beyond the last row returns the first page', async () => {
  const place = {
    sort: 'createdAt',
    way: 'next',
    at: ['2999-01-01', '019c0000-0000-7000-8000-000000000000'],
    row: 9_000,
  };
  const cursor = Buffer.from(JSON.stringify(place)).toString('base64url');
  expect(await list({ sort: 'createdAt', cursor })).toEqual(await list({ sort: 'createdAt' }));
});

test('the user filter returns the tickets of that user, and none of others with the same name', async () => {
  const { id } = await addUser(db.owner, { username: 'mira.k', createdAt: new Date('2026-03-01') });
  const admin = await db.owner.selectFrom('admin').select('id').where('username', '=', 'ann').executeTakeFirstOrThrow();
  const ticket = (type: string, more: { createdAt: string; openedBy?: string; username?: string }) => ({
    type,
    description: 'About it',
    username: 'mira.k',
    ...more,
  });
  await db.owner.transaction().execute((tx) =>
    tx
      .insertInto('ticket')
      .values([
        ticket('Their own', { createdAt: '2026-03-02' }),
        ticket('Of whoever had the name before', { createdAt: '2026-02-01' }),
        ticket('Of an administrator of that name', { createdAt: '2026-03-02', openedBy: admin.id }),
        ticket('Of another', { createdAt: '2026-03-02', username: 'mira.kay' }),
      ])
      .execute(),
  );
  const { tickets, total } = await list({ user: id });
  expect(tickets).toMatchObject([{ type: 'Their own' }]);
  expect(total).toEqual({ count: 1, capped: false });
  expect((await list({ user: id, status: 'closed' })).tickets).toEqual([]);
});
