import { StakeSort, StakeStatus } from 'contract/staking.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addCrowd, ownedListOf } from '#server/core/testing/user-owned-list.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { stakeList } from './queries.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'ann', permissionSet: 'Auditor' });
const token = await server.signIn('ann');

// Few distinct values in many rows: ties in every column, times a microsecond apart, and few active stakes.
await db.owner.transaction().execute(async (tx) => {
  await sql`set local statement_timeout = 0`.execute(tx);
  await addCrowd(tx);
  await sql`
    insert into stake (stake_id, user_id, plan_id, amount_usd, amount_sol, days, daily_rate_ppm, status, created_at,
      ends_on, completed_at)
    select 'S' || n, owner.id, plan.id, 1000000 * (1 + n % 50), n, plan.days, plan.daily_rate_ppm,
      case when n % 351 = 0 then 'Active' else 'Completed' end::stake_status,
      timestamptz '2026-01-01' + (n / 4) * interval '1 microsecond', date '2026-01-31',
      case when n % 351 > 0 then now() end
    from generate_series(1, 70000) as n
    join (select id, row_number() over (order by length(user_id), user_id) as place from platform_user) as owner
      on owner.place = 1 + n % 300
    join (select * from stake_plan order by days limit 1) as plan on true`.execute(tx);
});
await sql`analyze`.execute(db.owner);

const { list, wholeList, expectWhole, expectFirstPages, expectTooManyToCount, expectNone, expectScan } = ownedListOf(
  { db, server, token },
  {
    path: '/api/staking',
    rows: 'stakes',
    table: 'stake',
    columns: { date: 'created_at', amount: 'amount_usd' },
    defaultSort: '-date',
    searchedIn: 'owner.search_text',
  },
);

test.each(StakeSort.options.flatMap((sort) => [{ sort }, { sort, status: 'Completed' }]))(
  'paging through the rows of one user, forward and back, returns the whole list: %o',
  async (query) => {
    const [found] = (await list({ search: 'seldom' })).rows;
    expect(await expectWhole({ ...query, user: String(found?.userUuid) })).toBeGreaterThan(140);
  },
);

test.each(StakeSort.options.flatMap((sort) => [{ sort }, { sort, status: 'Active' }]))(
  'the first pages match the whole list: %o',
  expectFirstPages,
);

test('by default the list is newest first with 25 rows per page', async () => {
  expect((await list({})).ids).toEqual((await wholeList({})).slice(0, 25));
});

test('a rare name is found in every order and status', async () => {
  for (const sort of StakeSort.options) {
    for (const status of StakeStatus.options) await expectWhole({ sort, status, search: 'seldom' });
  }
  expect(await expectWhole({ search: 'wallet123' })).toBeGreaterThan(140);
});

test('a search for a common name is sorted, and its count is capped', () => expectTooManyToCount('frequent'));

test('a search for an unknown name finds no stakes', () => expectNone('nobody'));

test.each(['sort=id', 'status=active', 'search=ab', 'user=me', 'page=2'])(
  'a list request with %s is rejected',
  async (query) => {
    expect((await server.call('GET', `/api/staking?${query}`, { token })).status).toBe(400);
  },
);

const scans = StakeSort.options.flatMap((sort) => [
  { sort },
  ...StakeStatus.options.map((status) => ({ sort, status })),
]);

test.each(scans)('%o is read by an index scan, from the start and from the middle', async (query) => {
  // The other statuses are so common that any index of the order fills a page with them quickly.
  const scan =
    'status' in query && query.status === 'Active'
      ? /Index Scan.* using stake_by_status_(created|amount)/
      : /Index Scan.* on stake/;
  await expectScan(scan, query, (cursor) => stakeList(db.database, { ...query, cursor, limit: 25 }));
});
