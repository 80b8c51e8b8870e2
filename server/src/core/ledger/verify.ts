import type { TransferKind } from 'contract/ledger.ts';
import { type RawBuilder, sql } from 'kysely';
import { runQuery, type Db } from '#server/core/db/db.ts';

/**
 * SQL for the correct totals of all users, summed by account. The trigger that maintains the totals sums by transfer,
 * so a mistake in one of the two shows as a difference.
 */
export const totalsByTransfers = sql`
  select user_id,
    coalesce(sum(units) filter (where account = 'available' and asset = 'USD'), 0)::bigint as available_usd,
    coalesce(sum(units) filter (where account = 'staked'), 0)::bigint as staked_usd,
    coalesce(sum(units) filter (where account = 'held'), 0)::bigint as withdrawing_usd,
    coalesce(sum(units) filter (where account = 'available' and asset = 'GMP'), 0)::bigint as available_gmp,
    coalesce(sum(units) filter (where account = 'available' and asset = 'SLX'), 0)::bigint as slx,
    coalesce(sum(units) filter (where account = 'available' and asset = 'SHARE'), 0)::bigint as gmp_shares,
    coalesce(sum(units) filter (where account = 'available' and other = 'referral_bonuses'), 0)::bigint
      as referral_bonus_usd,
    coalesce(sum(units) filter (where account = 'available' and other = 'gmp_pool'), 0)::bigint as gmp_earnings,
    coalesce(sum(units) filter (where account = 'available' and other = 'rank_bonuses'), 0)::bigint
      as weekly_rank_bonus_usd,
    coalesce(sum(units) filter (where account = 'available' and other in ('stake_rewards', 'loyalty')), 0)::bigint
      as staked_earned_usd,
    coalesce(sum(units) filter (where account = 'available' and other = 'task_rewards'), 0)::bigint as task_rewards_usd,
    coalesce(sum(units) filter (where account = 'available' and other = 'outside' and asset = 'USD'), 0)::bigint
      as deposit_usd,
    coalesce(-sum(units) filter (where account = 'held' and other = 'outside'), 0)::bigint as withdrawn_usd
  from (
    select user_id, credit as account, debit as other, asset, units from transfer where user_id is not null
    union all
    select user_id, debit, credit, asset, -units from transfer where user_id is not null
  ) as side
  group by user_id`;

export const figures = [
  'available_usd',
  'staked_usd',
  'withdrawing_usd',
  'available_gmp',
  'slx',
  'gmp_shares',
  'referral_bonus_usd',
  'gmp_earnings',
  'weekly_rank_bonus_usd',
  'staked_earned_usd',
  'task_rewards_usd',
  'deposit_usd',
  'withdrawn_usd',
];

const every = (of: (figure: string) => string) => sql.raw(figures.map(of).join(', '));

/** Each query returns the places of a fault as text in the column `where`, and no rows if all is well. */
export type Questions = Record<string, RawBuilder<unknown>>;

/** The transfers of these kinds. A reversal counts as less than nothing of the transfer that it reverses. */
const unreversed = (...kinds: TransferKind[]) => sql`
  select kind::text, cause_id, user_id, asset::text,
    case when reverses is null then debit else credit end::text as debit,
    case when reverses is null then credit else debit end::text as credit,
    case when reverses is null then units else -units end as units
  from transfer where kind in (${sql.join(kinds.map((kind) => sql.lit(kind)))})`;

/** Compares what should have been posted for a cause with what was posted. A difference in either direction is a fault. */
const compare = (expected: RawBuilder<unknown>, posted: RawBuilder<unknown>) => sql`
  select concat_ws(' ', kind, cause_id) as where
  from (
    select kind, cause_id, user_id, asset, debit, credit, units from (${expected}) as expected
    union all
    select kind, cause_id, user_id, asset, debit, credit, -units from (${posted}) as posted
  ) as both_ways
  group by kind, cause_id, user_id, asset, debit, credit having sum(units) <> 0`;

/** Every cause has its transfers, and every transfer has its cause. Runs have their own queries. */
const bothWays: Questions = {
  'a deposit is not what was posted for it': compare(
    sql`select 'deposit' as kind, id as cause_id, user_id, asset::text, 'outside' as debit,
        case when user_id is null then 'treasury' else 'available' end as credit, units
      from deposit`,
    unreversed('deposit'),
  ),
  'an adjustment is not what was posted for it': compare(
    sql`select 'adjustment' as kind, id as cause_id, user_id, asset::text,
        case when units > 0 then other else own end as debit, case when units > 0 then own else other end as credit,
        abs(units) as units
      from adjustment cross join lateral (
        select case when user_id is null then 'treasury' else 'available' end as own,
          case when user_id is null then 'outside' else 'adjustments' end as other
      ) as accounts
      where posted_at is not null`,
    unreversed('adjustment'),
  ),
  'a withdrawal is not what was posted for it': compare(
    sql`select 'withdrawal' as kind, id as cause_id, user_id, 'USD' as asset, debit, credit, amount_usd as units
      from withdrawal cross join lateral (values
        ('available', 'held', true),
        ('held', 'outside', status = 'Completed'),
        ('held', 'available', status = 'Failed')
      ) as step (debit, credit, happened)
      where happened`,
    unreversed('withdrawal'),
  ),
  'a task reward is not what was posted for it': compare(
    sql`select step.kind, task.id as cause_id, case step.kind when 'task' then task.user_id end as user_id,
        'USD' as asset, step.debit, step.credit, task.reward_usd as units
      from task cross join (values ('task', 'task_rewards', 'available'), ('funding', 'treasury', 'task_rewards'))
        as step (kind, debit, credit)
      where task.rewarded`,
    sql`select * from (${unreversed('task', 'funding')}) as it where kind = 'task' or credit = 'task_rewards'`,
  ),
  'a stake is not what was posted for it': compare(
    sql`select 'stake' as kind, id as cause_id, user_id, 'USD' as asset, debit, credit, amount_usd as units
      from stake cross join lateral (values
        ('available', 'staked', true), ('staked', 'available', status = 'Completed')
      ) as step (debit, credit, happened)
      where happened`,
    unreversed('stake'),
  ),
};

const questions: Questions = {
  'the totals of a user differ from their transfers': sql`
    select coalesce(total.user_id, truth.user_id)::text as where
    from user_total as total full join (${totalsByTransfers}) as truth on truth.user_id = total.user_id
    where row(${every((figure) => `coalesce(total.${figure}, 0)`)})
      is distinct from row(${every((figure) => `coalesce(truth.${figure}, 0)`)})`,
  'a balance differs from the transfers of its account': sql`
    select concat_ws(' ', account, asset) as where
    from (
      select account, asset, sum(units) as units from (
        select credit as account, asset, units from transfer
        union all
        select debit, asset, -units from transfer
        union all
        select account, asset, -units from ledger_balance
      ) as side
      group by account, asset
    ) as difference
    where units <> 0`,
  'the accounts of an asset do not add up to zero': sql`
    select asset::text as where from ledger_balance group by asset having sum(units) <> 0`,
  'the totals of all users differ from the balances': sql`
    select concat_ws(' ', account, asset) as where
    from (
      select account::text, asset::text, sum(units) as units from ledger_balance
      where account <= 'held' group by account, asset
    ) as kept
    full join (
      select account, asset, units from (
        select sum(available_usd) as available_usd, sum(staked_usd) as staked_usd,
          sum(withdrawing_usd) as withdrawing_usd, sum(available_gmp) as available_gmp, sum(slx) as slx,
          sum(gmp_shares) as gmp_shares
        from user_total
      ) as of_all
      cross join lateral (values
        ('available', 'USD', available_usd), ('staked', 'USD', staked_usd), ('held', 'USD', withdrawing_usd),
        ('available', 'GMP', available_gmp), ('available', 'SLX', slx), ('available', 'SHARE', gmp_shares)
      ) as one (account, asset, units)
    ) as summed using (account, asset)
    where coalesce(kept.units, 0) <> coalesce(summed.units, 0)`,
  'a transfer does not match the transfer that it reverses': sql`
    select concat(it.day, ' ', it.id) as where
    from transfer as it left join transfer as original on original.day = it.reverses_day and original.id = it.reverses
    where it.reverses is not null and row(it.kind, it.cause_id, it.part, it.user_id, it.asset, it.units, it.debit, it.credit)
      is distinct from row(original.kind, original.cause_id, original.part, original.user_id, original.asset,
        original.units, original.credit, original.debit)`,
  'a transfer is reversed more than once': sql`
    select concat(reverses_day, ' ', reverses) as where
    from transfer where reverses is not null group by reverses, reverses_day having count(*) > 1`,
  'a key that forbids a second payment is missing or wrong': sql`
    select concat_ws(' ', kind, cause_id, part) as where
    from (
      select kind, cause_id, part, reverses is not null as taking_back, day, id, 1 as one from transfer
      where paid_once(kind)
      union all
      select kind, cause_id, part, reverses, day, transfer_id, -1 from transfer_once
    ) as keyed
    group by kind, cause_id, part, taking_back, day, id having sum(one) <> 0`,
  'the held balances differ from the pending withdrawals': sql`
    select coalesce(total.user_id, pending.user_id)::text as where
    from user_total as total
    full join (
      select user_id, sum(amount_usd) as units from withdrawal where status = 'Pending' group by user_id
    ) as pending on pending.user_id = total.user_id
    where coalesce(total.withdrawing_usd, 0) <> coalesce(pending.units, 0)`,
  'the staked balances differ from the active stakes': sql`
    select coalesce(total.user_id, placed.user_id)::text as where
    from user_total as total
    full join (
      select user_id, sum(amount_usd) as units from stake where status = 'Active' group by user_id
    ) as placed on placed.user_id = total.user_id
    where coalesce(total.staked_usd, 0) <> coalesce(placed.units, 0)`,
  'a payment stands twice': sql`
    select concat_ws(' ', day, kind, cause_id) as where
    from (
      select case when paid_once(kind) then null else day end as day, kind, cause_id, variant_of(kind, part) as variant,
        asset,
        case when reverses is null then debit else credit end as debit,
        case when reverses is null then credit else debit end as credit,
        case when reverses is null then 1 else -1 end as one
      from transfer where kind <> 'funding'
    ) as paid
    group by day, kind, cause_id, variant, asset, debit, credit having sum(one) > 1`,
  ...bothWays,
  'a kind of transfer is counted wrongly': sql`
    select kind::text as where
    from (select kind, 1 as one from transfer union all select kind, -delta from transfer_count) as counted
    group by kind having sum(one) <> 0`,
};

type Verdict = { sound: true; transfers: bigint } | { sound: false; faults: string[] };

const faultsShown = 5;

/**
 * Recalculates all balances and totals, and runs the queries of the features that post transfers. A repeatable read
 * transaction makes it safe to run while money moves.
 */
export async function verifyLedger(db: Db, ofFeatures: Questions): Promise<Verdict> {
  const faults: string[] = [];
  for (const [fault, question] of Object.entries({ ...questions, ...ofFeatures })) {
    const found = await runQuery<{ where: string }>(
      db,
      sql`select found.where from (${question}) as found limit ${faultsShown}`,
    );
    if (found.length > 0) faults.push(`${fault}: ${found.map(({ where }) => where).join(', ')}`);
  }
  if (faults.length > 0) return { sound: false, faults };
  const [counted] = await runQuery<{ count: bigint }>(db, sql`select count(*) from transfer`);
  return { sound: true, transfers: counted?.count ?? 0n };
}
