import { WithdrawalSort } from 'contract/withdrawals.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addCrowd, ownedListOf } from '#server/core/testing/user-owned-list.ts';
import { planOfScan } from '#server/core/testing/paging.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { withdrawalList } from './queries.ts';

const { db, server } = await testEnvironment();
const { id: requestedBy } = await addAdmin(db.database, { username: 'ann', permissionSet: 'Auditor' });
const token = await server.signIn('ann');

await db.owner.transaction().execute(async (tx) => {
  await sql`set local statement_timeout = 0`.execute(tx);
  await addCrowd(tx);
  await sql`
    insert into withdrawal (user_id, amount_usd, wallet, state, created_at, balance_usd, gmp_shares, prev_slx, slx_points,
      decided_at)
    select owner.id, 1000000 * (1 + n % 50), 'wallet' || n % 300, state.now_is,
      timestamptz '2026-01-01' + n * interval '1 minute', 100000000, n, 0, n % 9,
      case when state.now_is <> 'requested' then now() end
    from generate_series(1, 20000) as n
    cross join lateral (select case when n <= 200 then 'requested' else 'confirmed' end::withdrawal_state) as state (now_is)
    join (select id, row_number() over (order by length(user_id), user_id) as place from platform_user) as owner
      on owner.place = 1 + n % 300`.execute(tx);
  // Among the oldest, sixty are waiting, sixty were denied, and sixty are overdue but not yet marked as expired.
  await sql`
    insert into approval (kind, subject_id, payload, digest, asset, units, requested_by, requested_at, expires_at, reason)
    select 'withdrawal', id, '{"userUuid": null, "facts": []}', 'digest', 'USD', amount_usd, ${requestedBy}::uuid,
      now() - interval '3 hours', now() + case when place % 3 = 2 then interval '-1 hour' else interval '1 hour' end,
      case when place % 3 = 1 then 'No.' end
    from (
      select id, amount_usd, row_number() over (order by created_at) as place from withdrawal where status = 'Pending'
    ) as pending
    where place <= 180`.execute(tx);
  await sql`
    update approval set state = 'denied', decided_by = ${requestedBy}::uuid, decided_at = now()
    where reason is not null`.execute(tx);
});
await sql`analyze`.execute(db.owner);

const { rows: waitingRows } = await sql<{ id: string }>`
  select subject_id as id from approval where state = 'waiting' and expires_at > now()`.execute(db.owner);
const waiting = new Set(waitingRows.map(({ id }) => id));

const { list, wholeList } = ownedListOf(
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

test.each(WithdrawalSort.options)(
  'withdrawals that wait for a second approver are listed in the order %s',
  async (sort) => {
    const whole = (await wholeList({ sort })).filter((id) => waiting.has(id));
    expect(whole).toHaveLength(60);
    const first = await list({ sort, approval: 'waiting' });
    const rest = await list({ sort, approval: 'waiting', limit: '100', cursor: String(first.nextCursor) });
    expect([...first.ids, ...rest.ids]).toEqual(whole);
    expect(first.total).toEqual({ count: 60, capped: false });
  },
);

test('waiting withdrawals can be searched, and all of them are Pending', async () => {
  const found = await list({ approval: 'waiting', search: 'frequent', limit: '100' });
  const whole = (await wholeList({ search: 'frequent' })).filter((id) => waiting.has(id));
  expect(whole.length).toBeGreaterThan(0);
  expect(found.ids).toEqual(whole);
  expect(found.total).toEqual({ count: whole.length, capped: false });
  expect((await list({ approval: 'waiting', status: 'Pending' })).total.count).toBe(60);
  expect(await list({ approval: 'waiting', status: 'Completed' })).toMatchObject({ ids: [], total: { count: 0 } });
});

test('waiting withdrawals are found by id, without a scan of all withdrawals', async () => {
  for (const sort of WithdrawalSort.options) {
    const query = { sort, approval: 'waiting', cursor: undefined, limit: 25 } as const;
    const plan = await planOfScan(db.database, withdrawalList(db.database, query));
    expect(plan).toMatch(/withdrawal_pkey/);
    expect(plan).not.toMatch(/Seq Scan on withdrawal|withdrawal_by_/);
  }
});
