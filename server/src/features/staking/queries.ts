import type { Plan, Stake, StakeSort, StakeStatus } from 'contract/staking.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';
import { listPage } from '#server/core/db/list.ts';
import { type ListQuery, figuresOf, userOwnedList, searchByUser } from '#server/core/db/user-owned-list.ts';

const orders = {
  date: { column: 'created_at', type: 'timestamptz' },
  amount: { column: 'amount_usd', type: 'bigint' },
};

const columns = sql`
  item.stake_id as "stakeId", platform_user.username as user, platform_user.id as "userUuid", item.amount_usd as amount,
  item.amount_sol as "amountSOL", item.created_at as date,
  item.days || case when item.days = 1 then ' day' else ' days' end as duration, item.daily_rate_ppm as "dailyRate",
  item.ends_on::text as "endsOn", item.completed_at as "completedAt",
  item.status, platform_user.sol_wallet_address as "solWalletAddress",
  coalesce(total.staked_usd, 0) as "totalStaked", coalesce(total.deposit_usd, 0) as "totalDeposit",
  coalesce(total.available_usd, 0) as "walletBalance",
  coalesce(
    total.referral_bonus_usd + total.weekly_rank_bonus_usd + total.staked_earned_usd + total.task_rewards_usd, 0
  ) as "totalEarnings"`;

const joins = sql`
  join platform_user on platform_user.id = item.user_id
  left join user_total as total on total.user_id = item.user_id`;

type Query = ListQuery<StakeStatus, StakeSort>;

export const selectPage = (db: Db, query: Query) => listPage<Stake>(db, stakeList(db, query));

export const stakeList = (db: Db, query: Query) =>
  userOwnedList(db, { table: 'stake', columns, joins, orders, searchFilter: searchByUser }, query);

export const selectFigures = (db: Db) => figuresOf<StakeStatus>(db, 'stake');

export async function selectStake(db: Db, id: string) {
  const { rows } = await sql<Stake>`
    select item.id, ${columns} from stake as item ${joins} where item.id = ${id}::uuid`.execute(db);
  return rows[0];
}

const planColumns = ['id', 'days', 'dailyRatePpm as dailyRate', 'offered', 'createdAt'] as const;

export type PlanRow = Omit<Plan, 'waiting'>;

export function selectPlans(db: Db): Promise<PlanRow[]> {
  return db.selectFrom('stakePlan').select(planColumns).orderBy('days').orderBy('dailyRatePpm').execute();
}

/** Inserts a plan. Returns no row if it exists, even if a concurrent transaction inserted it. */
export function insertPlan(tx: Tx, { days, dailyRate }: Pick<Plan, 'days' | 'dailyRate'>) {
  return tx
    .insertInto('stakePlan')
    .values({ days, dailyRatePpm: dailyRate, offered: false })
    .onConflict((conflict) => conflict.columns(['days', 'dailyRatePpm']).doNothing())
    .returning(planColumns)
    .executeTakeFirst();
}

/** Locks a plan against concurrent changes. Not FOR UPDATE: that would block new stakes that reference it. */
export function lockPlan(tx: Tx, id: string) {
  return tx.selectFrom('stakePlan').select(planColumns).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

export function updateOffered(tx: Tx, id: string, offered: boolean) {
  return tx
    .updateTable('stakePlan')
    .set({ offered })
    .where('id', '=', id)
    .returning(planColumns)
    .executeTakeFirstOrThrow();
}

/** Merges the rows into one per status. Rows added concurrently are not visible here, so none is lost. */
export function foldCounts(tx: Tx) {
  return sql`
    with folded as (delete from stake_count returning status, delta, amount_usd)
    insert into stake_count (status, delta, amount_usd)
    select status, sum(delta), sum(amount_usd) from folded group by status
  `.execute(tx);
}
