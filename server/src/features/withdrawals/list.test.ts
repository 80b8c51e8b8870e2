import { WithdrawalStatus } from 'contract/withdrawal-states.ts';
import { WithdrawalSort } from 'contract/withdrawals.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addCrowd, ownedListOf } from '#server/core/testing/user-owned-list.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { withdrawalList } from './queries.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'ann', permissionSet: 'Auditor' });
const token = await server.signIn('ann');

// Few distinct values in many rows: ties in every column, times a microsecond apart, and few pending ones.
await db.owner.transaction().execute(async (tx) => {
  await sql`set local statement_timeout = 0`.execute(tx);
  await addCrowd(tx);
  await sql`
    insert into withdrawal (user_id, amount_usd, wallet, state, created_at, balance_usd, gmp_shares, prev_slx,
      slx_points, decided_at, reason)
    select owner.id, 1000000 * (1 + n % 50), 'wallet' || n % 300, state.now_is,
      timestamptz '2026-01-01' + (n / 4) * interval '1 microsecond', 100000000, n, 0, n % 9,
      case when state.now_is <> 'requested' then now() end,
      case when state.now_is = 'rejected' then 'The wallet refused it.' end
    from generate_series(1, 70000) as n
    cross join lateral (
      select case when n % 351 = 0 then 'requested' when n % 3 = 1 then 'rejected' else 'confirmed' end::withdrawal_state
    ) as state (now_is)
    join (select id, row_number() over (order by length(user_id), user_id) as place from platform_user) as owner
      on owner.place = 1 + n % 300`.execute(tx);
});
await sql`analyze`.execute(db.owner);

const users = await db.owner.selectFrom('platformUser').select(['id', 'username', 'userId']).execute();
const idOf = (username: string) => users.find((user) => user.username === username)?.id ?? '';

const {
  list,
  wholeList,
  expectWhole,
  expectFirstPages,
  expectTooManyToCount,
  expectNone,
  expectScan,
  expectNoCursorAt,
} = ownedListOf(
  { db, server, token },
  {
    path: '/api/withdrawals',
    rows: 'withdrawals',
    table: 'withdrawal',
    columns: { date: 'created_at', amount: 'amount_usd' },
    defaultSort: '-date',
    searchedIn: 'owner.search_text',
  },
);

test.each(WithdrawalSort.options.flatMap((sort) => [{ sort }, { sort, status: 'Completed' }]))(
  'paging through the rows of one user, forward and back, returns the whole list: %o',
  async (query) => {
    const rows = await expectWhole({ ...query, user: idOf('seldom.seen') }, 17);
    expect(rows).toBeGreaterThan(50);
  },
);

test.each(WithdrawalSort.options.flatMap((sort) => [{ sort }, { sort, status: 'Failed' }]))(
  'the first pages match the whole list: %o',
  expectFirstPages,
);

test('by default the list is newest first with 25 rows per page', async () => {
  expect((await list({})).ids).toEqual((await wholeList({})).slice(0, 25));
});

test.each([
  ['a rare name', 'seldom'],
  ['the user number', 'u123'],
  ['the wallet', 'wallet123'],
  ['the referral code', 'ref123'],
])('a user is found by %s', async (_what, search) => {
  expect(await expectWhole({ search }, 60)).toBeGreaterThan(0);
});

test('a rare name is found in every order and status', async () => {
  for (const sort of WithdrawalSort.options) {
    for (const status of WithdrawalStatus.options) await expectWhole({ sort, status, search: 'seldom' }, 60);
  }
});

test('a search for a common name is sorted, and its count is capped', () => expectTooManyToCount('frequent'));

test('a search for an unknown name finds no withdrawals', () => expectNone('nobody'));

test.each(['sort=id', 'status=pending', 'search=ab', 'user=me', 'limit=101', 'page=2'])(
  'a list request with %s is rejected',
  async (query) => {
    expect((await server.call('GET', `/api/withdrawals?${query}`, { token })).status).toBe(400);
  },
);

test('a cursor for another order is refused', async () => {
  const { nextCursor } = await list({ sort: 'amount' });
  const { status, json } = await server.call('GET', `/api/withdrawals?sort=date&cursor=${nextCursor}`, { token });
  expect(status).toBe(422);
  expect(json['code']).toBe('InvalidCursor');
});

test.each([
  ['amount', '99999999999999999999'],
  ['amount', '-1e3'],
  ['amount', ''],
  ['-date', 'yesterday-ish'],
  ['-date', '\u0000'],
])('a cursor for %s at position %j is refused without a server error', expectNoCursorAt);

const scans = WithdrawalSort.options.flatMap((sort) => [
  { sort },
  ...WithdrawalStatus.options.map((status) => ({ sort, status })),
]);

test.each(scans)('%o is read by an index scan, from the start and from the middle', async (query) => {
  // The other statuses are so common that any index of the order fills a page with them quickly.
  const scan =
    'status' in query && query.status === 'Pending'
      ? /Index Scan.* using withdrawal_by_status_(created|amount)/
      : /Index Scan.* on withdrawal/;
  await expectScan(scan, query, (cursor) => withdrawalList(db.database, { ...query, cursor, limit: 25 }));
});
