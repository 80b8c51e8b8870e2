import { type Difference, DifferenceCode, type VerificationForm } from 'contract/ledger-verification.ts';
import { sql } from 'kysely';
import { runQuery, type Db } from '#server/core/db/db.ts';
import { causeQuestions } from './verify-causes.ts';
import { paymentQuestions } from './verify-payments.ts';
import { findUnsealedRecords, isSealCode, type SealCode } from './verify-seals.ts';
import { type Questions, verifiedTransfers } from './verify-scope.ts';

/**
 * SQL for the correct totals of all users, summed by account. The trigger that maintains the totals sums by transfer,
 * so a mistake in one of the two shows as a difference.
 */
export const totalsByTransfers = (form: VerificationForm = 'full') => sql`
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
    coalesce(-sum(units) filter (where account = 'held' and other = 'outside'), 0)::bigint as withdrawn_usd,
    coalesce(-sum(units) filter (where account = 'receivable' and asset = 'USD'), 0)::bigint as receivable_usd,
    coalesce(-sum(units) filter (where account = 'receivable' and asset = 'GMP'), 0)::bigint as receivable_gmp
  from (
    select user_id, credit as account, debit as other, asset, units
    from ${verifiedTransfers(form)} where user_id is not null
    union all
    select user_id, debit, credit, asset, -units from ${verifiedTransfers(form)} where user_id is not null
  ) as side
  group by user_id`;

/** The columns of `user_total`, which are also those of `verified_total`. */
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
  'receivable_usd',
  'receivable_gmp',
];

const every = (of: (figure: string) => string) => sql.raw(figures.map(of).join(', '));

/** SQL for one row per unit of an account. The balances of the last verification stand for the transfers before it. */
const sidesOf = (form: VerificationForm) => sql`
  select credit as account, asset, units from ${verifiedTransfers(form)}
  union all
  select debit, asset, -units from ${verifiedTransfers(form)}
  ${form === 'full' ? sql`` : sql`union all select account, asset, units from verified_balance`}`;

const totalQuestions: Questions<
  'user-totals' | 'account-balance' | 'asset-sum' | 'totals-of-all-users' | 'transfer-count'
> = {
  'user-totals': (form) =>
    form === 'full'
      ? sql`
        select coalesce(total.user_id, truth.user_id)::text as where
        from user_total as total full join (${totalsByTransfers(form)}) as truth on truth.user_id = total.user_id
        where row(${every((figure) => `coalesce(total.${figure}, 0)`)})
          is distinct from row(${every((figure) => `coalesce(truth.${figure}, 0)`)})`
      : sql`
        select moved.user_id::text as where
        from (${totalsByTransfers(form)}) as moved
        left join user_total as total on total.user_id = moved.user_id
        left join verified_total as before on before.user_id = moved.user_id
        where row(${every((figure) => `total.${figure}`)})
          is distinct from row(${every((figure) => `coalesce(before.${figure}, 0) + moved.${figure}`)})`,
  'account-balance': (form) => sql`
    select concat_ws(' ', account, asset) as where
    from (${sidesOf(form)} union all select account, asset, -units from ledger_balance) as side
    group by account, asset having sum(units) <> 0`,
  'asset-sum': () => sql`
    select asset::text as where from ledger_balance group by asset having sum(units) <> 0`,
  // New transfers are added to the totals and to the balances alike, which the two questions above compare.
  'totals-of-all-users': (form) =>
    form === 'full'
      ? sql`
        select concat_ws(' ', account, asset) as where
        from (
          select account::text, asset::text, sum(units) as units from ledger_balance
          where account <= 'held' group by account, asset
        ) as kept
        full join (
          select account, asset, units from (
            select sum(available_usd) as available_usd, sum(staked_usd) as staked_usd,
              sum(withdrawing_usd) as withdrawing_usd, sum(available_gmp) as available_gmp, sum(slx) as slx,
              sum(gmp_shares) as gmp_shares, sum(receivable_usd) as receivable_usd,
              sum(receivable_gmp) as receivable_gmp
            from user_total
          ) as of_all
          cross join lateral (values
            ('available', 'USD', available_usd), ('staked', 'USD', staked_usd), ('held', 'USD', withdrawing_usd),
            ('available', 'GMP', available_gmp), ('available', 'SLX', slx), ('available', 'SHARE', gmp_shares),
            ('receivable', 'USD', -receivable_usd), ('receivable', 'GMP', -receivable_gmp)
          ) as one (account, asset, units)
        ) as summed using (account, asset)
        where coalesce(kept.units, 0) <> coalesce(summed.units, 0)`
      : undefined,
  'transfer-count': (form) => sql`
    select kind::text as where
    from (
      select kind, count(*) as one from ${verifiedTransfers(form)} group by kind
      union all
      select kind, -delta from transfer_count
      ${form === 'full' ? sql`` : sql`union all select kind, transfers from verified_count`}
    ) as counted
    group by kind having sum(one) <> 0`,
};

export const ledgerQuestions = { ...totalQuestions, ...paymentQuestions, ...causeQuestions };

/** The questions of the ledger, and of the features that post transfers. */
export type AllQuestions = Questions<Exclude<DifferenceCode, SealCode>>;

export type Verdict = { transfers: bigint; differences: Difference[] };

const placesShown = 5;

/**
 * Runs every question and returns the differences. All queries must read the same snapshot, so run it in a repeatable
 * read transaction while money moves. The incremental form reads the tables that `listChanges` makes.
 */
export async function findDifferences(db: Db, form: VerificationForm, questions: AllQuestions): Promise<Verdict> {
  const differences: Difference[] = [];
  for (const code of DifferenceCode.options) {
    if (isSealCode(code)) {
      const found = await findUnsealedRecords(db, form, code);
      if (found.length > 0)
        differences.push({ code, params: { count: found.length, where: found.slice(0, placesShown) } });
      continue;
    }
    const question = questions[code](form);
    if (!question) continue;
    const found = await runQuery<{ where: string; count: number }>(
      db,
      sql`select found.where, (count(*) over ())::int as count from (${question}) as found limit ${placesShown}`,
    );
    const [first] = found;
    if (first) differences.push({ code, params: { count: first.count, where: found.map(({ where }) => where) } });
  }
  const [counted] = await runQuery<{ count: bigint }>(db, sql`select count(*) from ${verifiedTransfers(form)}`);
  return { transfers: counted?.count ?? 0n, differences };
}
