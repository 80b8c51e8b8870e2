import type { VerificationForm } from 'contract/ledger-verification.ts';
import { sql } from 'kysely';
import { isVerifiedCause, type Questions, verifiedTransfers } from './verify-scope.ts';

type KeptBalance = { account: 'held' | 'staked'; figure: string; causes: 'withdrawal' | 'stake'; status: string };

/** Compares the balance of an account with its causes: for all users, or for those with a new transfer or a changed cause. */
const keptBalance = (form: VerificationForm, { account, figure, causes, status }: KeptBalance) =>
  form === 'full'
    ? sql`
      select coalesce(total.user_id, cause.user_id)::text as where
      from user_total as total
      full join (
        select user_id, sum(amount_usd) as units from ${sql.table(causes)} where status = ${sql.lit(status)} group by user_id
      ) as cause on cause.user_id = total.user_id
      where coalesce(total.${sql.ref(figure)}, 0) <> coalesce(cause.units, 0)`
    : sql`
      select touched.user_id::text as where
      from (
        select user_id from new_transfer where ${sql.lit(account)} in (debit, credit)
        union
        select user_id from ${sql.table(causes)} where ${isVerifiedCause(form, [causes], sql`id`)}
      ) as touched
      left join user_total as total on total.user_id = touched.user_id
      cross join lateral (
        select coalesce(sum(amount_usd), 0) as units from ${sql.table(causes)} as cause
        where cause.user_id = touched.user_id and cause.status = ${sql.lit(status)}
      ) as cause
      where coalesce(total.${sql.ref(figure)}, 0) <> cause.units`;

/** SQL for earlier reversals of the transfers that are reversed anew: on the same day, or found by their key. */
const earlierReversals = sql`
  union
  select back.day, back.id, back.reverses, back.reverses_day
  from new_transfer as it
  join transfer as back on back.day = it.day and back.reverses = it.reverses and back.reverses is not null
  union
  select back.day, back.id, back.reverses, back.reverses_day
  from new_transfer as it
  join transfer_once as once on once.kind = it.kind and once.cause_id = it.cause_id and once.reverses
  join transfer as back on back.day = once.day and back.id = once.transfer_id
  where it.reverses is not null and paid_once(it.kind)`;

/**
 * SQL for the transfers of a cause on a day, found by the index of payments or by that of reversals. The `offset 0` keeps
 * the kind out of the lookup: the planner has no statistics on a day that was just paid, and would read all transfers of
 * the kind on that day for each cause.
 */
const transfersOf = (payment: 'paid' | 'suspect', condition: 'reverses is null' | 'reverses_day is not null') => sql`(
    select * from transfer
    where transfer.day = ${sql.ref(payment)}.day and transfer.cause_id = ${sql.ref(payment)}.cause_id
      and transfer.${sql.raw(condition)}
    offset 0
  )`;

/** SQL that is true if the same payment was also made under another part. */
const hasOtherPart = sql<boolean>`exists (
  select from ${transfersOf('paid', 'reverses is null')} as it where it.kind = paid.kind and it.part <> paid.part)`;

/** SQL for payments that may have two active transfers, each with its day unless it is paid once. */
const suspects = (form: VerificationForm) =>
  form === 'full'
    ? sql`
      select day, kind, cause_id from transfer where reverses is null and not paid_once(kind)
      group by day, cause_id, kind having count(*) > 1
      union all
      select null, kind, cause_id from transfer where reverses is null and paid_once(kind)
      group by kind, cause_id having count(*) > 1`
    : sql`
      select distinct day, kind, cause_id from new_transfer as paid
      where reverses is null and not paid_once(kind) and ${hasOtherPart}
      union all
      select null, kind, cause_id from new_transfer where reverses is null and paid_once(kind) group by kind, cause_id`;

/** SQL for all transfers of these payments that are paid once. A new transfer without its key is not found by it. */
const onceTransfers = (form: VerificationForm) =>
  form === 'full'
    ? sql`
      select it.* from suspect
      join transfer as it on it.kind = suspect.kind and it.cause_id = suspect.cause_id and paid_once(it.kind)
      where suspect.day is null`
    : sql`(
        select * from new_transfer where paid_once(kind)
        union
        select it.* from suspect
        join transfer_once as once on once.kind = suspect.kind and once.cause_id = suspect.cause_id
        join transfer as it on it.day = once.day and it.id = once.transfer_id
        where suspect.day is null
      )`;

/** SQL for all transfers of the suspects. Payments and reversals of a day have an index each. */
const transfersOfSuspects = (form: VerificationForm) => sql`(
    with suspect as (${suspects(form)})
    select it.* from suspect
    join lateral ${transfersOf('suspect', 'reverses is null')} as it on it.kind = suspect.kind
    union all
    select it.* from suspect
    join lateral ${transfersOf('suspect', 'reverses_day is not null')} as it on it.kind = suspect.kind
    union all
    ${onceTransfers(form)}
  )`;

/** Every payment has at most one active transfer under its key, and at most one reversal of it. */
export const paymentQuestions: Questions<
  | 'transfer-missing'
  | 'reversal-mismatch'
  | 'reversed-twice'
  | 'payment-key'
  | 'held-balance'
  | 'staked-balance'
  | 'paid-twice'
> = {
  // A full verification finds it by the balances.
  'transfer-missing': (form) =>
    form === 'full'
      ? undefined
      : sql`
        select day::text as where
        from (
          select day, transfers from unverified_batch union all select day, -count(*) from new_transfer group by day
        ) as counted
        group by day having sum(transfers) <> 0`,
  'reversal-mismatch': (form) => sql`
    select concat(it.day, ' ', it.id) as where
    from ${verifiedTransfers(form)} as it
    left join transfer as original on original.day = it.reverses_day and original.id = it.reverses
    where it.reverses is not null and row(it.kind, it.cause_id, it.part, it.user_id, it.asset, it.units, it.debit, it.credit)
      is distinct from row(original.kind, original.cause_id, original.part, original.user_id, original.asset,
        original.units, original.credit, original.debit)`,
  'reversed-twice': (form) => sql`
    select concat(reverses_day, ' ', reverses) as where
    from (
      select day, id, reverses, reverses_day from ${verifiedTransfers(form)} where reverses is not null
      ${form === 'full' ? sql`` : earlierReversals}
    ) as back
    group by reverses, reverses_day having count(*) > 1`,
  'payment-key': (form) =>
    form === 'full'
      ? sql`
        select concat_ws(' ', kind, cause_id, part) as where
        from (
          select kind, cause_id, part, reverses is not null as is_reversal, day, id, 1 as one from transfer
          where paid_once(kind)
          union all
          select kind, cause_id, part, reverses, day, transfer_id, -1 from transfer_once
        ) as keyed
        group by kind, cause_id, part, is_reversal, day, id having sum(one) <> 0`
      : sql`
        select concat_ws(' ', it.kind, it.cause_id, it.part) as where
        from new_transfer as it
        left join transfer_once as once on once.kind = it.kind and once.cause_id = it.cause_id and once.part = it.part
          and once.reverses = (it.reverses is not null)
        where paid_once(it.kind) and row(once.day, once.transfer_id) is distinct from row(it.day, it.id)`,
  'held-balance': (form) =>
    keptBalance(form, { account: 'held', figure: 'withdrawing_usd', causes: 'withdrawal', status: 'Pending' }),
  'staked-balance': (form) =>
    keptBalance(form, { account: 'staked', figure: 'staked_usd', causes: 'stake', status: 'Active' }),
  'paid-twice': (form) => sql`
    select concat_ws(' ', day, kind, cause_id) as where
    from (
      select case when paid_once(kind) then null else day end as day, kind, cause_id, variant_of(kind, part) as variant,
        asset,
        case when reverses is null then debit else credit end as debit,
        case when reverses is null then credit else debit end as credit,
        case when reverses is null then 1 else -1 end as one
      from ${transfersOfSuspects(form)} as it where kind <> 'funding'
    ) as paid
    group by day, kind, cause_id, variant, asset, debit, credit having sum(one) > 1`,
};
