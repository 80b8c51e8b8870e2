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
  'an adjustment is not what was posted for it': sql`
    select made.id::text as where
    from adjustment as made
    left join transfer_once as once
      on once.kind = 'adjustment' and once.cause_id = made.id and once.part = 0 and not once.reverses
    left join transfer as it on it.day = once.day and it.id = once.transfer_id
    where (made.posted_at is not null or it.id is not null) and row(made.user_id, made.asset, abs(made.units), case
        when made.user_id is null then case when made.units > 0 then 'outside treasury' else 'treasury outside' end
        else case when made.units > 0 then 'adjustments available' else 'available adjustments' end
      end) is distinct from row(it.user_id, it.asset, it.units, concat_ws(' ', it.debit, it.credit))`,
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
