import type { TransferKind } from 'contract/ledger.ts';
import type { VerificationForm } from 'contract/ledger-verification.ts';
import { type RawBuilder, sql } from 'kysely';
import { isVerifiedCause, type Questions, transfersOfCauses } from './verify-scope.ts';

/** The transfers of these kinds. A reversal counts as less than nothing of the transfer that it reverses. */
const unreversed = (form: VerificationForm, ...kinds: TransferKind[]) => sql`
  select kind::text, cause_id, user_id, asset::text,
    case when reverses is null then debit else credit end::text as debit,
    case when reverses is null then credit else debit end::text as credit,
    case when reverses is null then units else -units end as units
  from ${transfersOfCauses(form, kinds)} as it`;

/** Compares what should have been posted for a cause with what was posted. A difference in either direction is a fault. */
const compare = (expected: RawBuilder<unknown>, posted: RawBuilder<unknown>) => sql`
  select concat_ws(' ', kind, cause_id) as where
  from (
    select kind, cause_id, user_id, asset, debit, credit, units from (${expected}) as expected
    union all
    select kind, cause_id, user_id, asset, debit, credit, -units from (${posted}) as posted
  ) as both_ways
  group by kind, cause_id, user_id, asset, debit, credit having sum(units) <> 0`;

const isVerified = (form: VerificationForm, ...kinds: TransferKind[]) => isVerifiedCause(form, kinds, sql`id`);

/** Every cause has its transfers, and every transfer has its cause. Runs have their own queries. */
export const causeQuestions: Questions<
  'deposit' | 'adjustment' | 'receivable' | 'withdrawal' | 'withdrawal-unapproved' | 'task-reward' | 'stake'
> = {
  deposit: (form) =>
    compare(
      sql`select 'deposit' as kind, id as cause_id, user_id, asset::text, 'outside' as debit,
          case when user_id is null then 'treasury' else 'available' end as credit, units
        from deposit where ${isVerified(form, 'deposit')}`,
      unreversed(form, 'deposit'),
    ),
  adjustment: (form) =>
    compare(
      sql`select 'adjustment' as kind, id as cause_id, user_id, asset::text,
          case when units > 0 then other else own end as debit, case when units > 0 then own else other end as credit,
          abs(units) as units
        from adjustment cross join lateral (
          select account::text as own, other_account::text as other
        ) as accounts
        where posted_at is not null and ${isVerified(form, 'adjustment')}`,
      unreversed(form, 'adjustment'),
    ),
  receivable: (form) =>
    compare(
      sql`select 'receivable' as kind, id as cause_id, user_id, asset::text,
          case when units > 0 then 'receivable' else 'available' end as debit,
          case when units > 0 then 'available' else 'receivable' end as credit, abs(units) as units
        from receivable where ${isVerified(form, 'receivable')}`,
      unreversed(form, 'receivable'),
    ),
  withdrawal: (form) =>
    compare(
      sql`select 'withdrawal' as kind, id as cause_id, user_id, 'USD' as asset, debit, credit, amount_usd as units
        from withdrawal cross join lateral (values
          ('available', 'held', true),
          ('held', 'outside', state = 'confirmed'),
          ('held', 'available', state in ('failed', 'rejected'))
        ) as step (debit, credit, happened)
        where happened and ${isVerified(form, 'withdrawal')}`,
      unreversed(form, 'withdrawal'),
    ),
  // An approved withdrawal was decided with its amount; returning one that may have been sent was decided once more.
  'withdrawal-unapproved': (form) => sql`
    select id::text as where
    from withdrawal
    where mode is not null and ${isVerified(form, 'withdrawal')}
      and (
        select count(*) from approval
        where approval.subject_id = withdrawal.id and approval.kind = 'withdrawal' and approval.state = 'approved'
          and approval.units = withdrawal.amount_usd
      ) < case when failure_requested_by is null then 1 else 2 end`,
  'task-reward': (form) =>
    compare(
      sql`select step.kind, task.id as cause_id, case step.kind when 'task' then task.user_id end as user_id,
          'USD' as asset, step.debit, step.credit, task.reward_usd as units
        from task cross join (values ('task', 'task_rewards', 'available'), ('funding', 'treasury', 'task_rewards'))
          as step (kind, debit, credit)
        where task.rewarded and ${isVerified(form, 'task', 'funding')}`,
      sql`select * from (${unreversed(form, 'task', 'funding')}) as it where kind = 'task' or credit = 'task_rewards'`,
    ),
  stake: (form) =>
    compare(
      sql`select step.kind, id as cause_id, case when step.debit <> 'loyalty' then user_id end as user_id, 'USD' as asset,
          step.debit, step.credit, step.units
        from stake cross join lateral (values
          ('stake', 'available', 'staked', amount_usd, true),
          ('stake', 'staked', 'available', amount_usd, status = 'Completed' and ended_early_at is null),
          ('stake-end', 'staked', 'available', amount_usd, ended_early_at is not null),
          ('stake-end', 'loyalty', 'treasury', forfeited_usd, forfeited_usd > 0)
        ) as step (kind, debit, credit, units, happened)
        where happened and ${isVerified(form, 'stake', 'stake-end')}`,
      unreversed(form, 'stake', 'stake-end'),
    ),
};
