import { sql } from 'kysely';
import type { JobKind, Plan, Planning } from './kind.ts';
import { dayOf, refusePaid } from './periods.ts';

const kind = 'referral-check';
import { ReferralCheck } from 'contract/jobs-referral-check.ts';

/** Users who joined in the last days, including the day of the check. */
const joinedLately = ({ day, settings }: Planning) => {
  const { period } = ReferralCheck.parse(settings);
  return sql`platform_user.created_at >= ${day}::date - ${sql.lit(period)} and platform_user.created_at < ${day}::date + 1`;
};

const plan: Plan = {
  inputsOf: async () => ({}),

  users: (run, after) => sql`
    select platform_user.sponsor_id as "userId" from platform_user
    where platform_user.sponsor_id > ${after}::uuid and ${joinedLately(run)} order by platform_user.sponsor_id`,

  lines: (run, { after, to }) => {
    const { reward } = ReferralCheck.parse(run.settings);
    return sql`
      select user_id, cause_id, part, input, 0 as rate_bp, false as ranked,
        case when skip is null then units else 0 end as base, 0::bigint as bonus, 0::bigint as loyalty,
        0::bigint as closing, false as completes, skip, units as budget, 0::bigint as unranked, 0::bigint as unshared
      from (
        select *, case when ineligible is not null then ineligible when units = 0 then 'nothing' end::skip_reason as skip
        from (
          select platform_user.sponsor_id as user_id, platform_user.id as cause_id, coalesce(paid.part, 0) as part,
            coalesce(first.amount_usd, 0) as input,
            case when paid.unreversed then 0 else coalesce(share_of(first.amount_usd, ${sql.lit(reward)} * 10000::bigint), 0)
              end as units,
            case
              when sponsor.retired_at is not null then 'deleted'
              when platform_user.blacklisted_at is not null or sponsor.blacklisted_at is not null then 'blacklisted'
              when paid.unreversed then 'paid'
              when first.amount_usd is null then 'not-staked'
            end as ineligible
          from platform_user
          join platform_user as sponsor on sponsor.id = platform_user.sponsor_id
          left join lateral (
            select amount_usd from stake where stake.user_id = platform_user.id order by created_at, id limit 1
          ) as first on true
          left join lateral (
            select count(*) filter (where reverses)::int as part,
              count(*) filter (where not reverses) > count(*) filter (where reverses) as unreversed
            from transfer_once where kind = 'referral' and cause_id = platform_user.id
          ) as paid on true
          where platform_user.sponsor_id > ${after}::uuid and platform_user.sponsor_id <= ${to}::uuid and ${joinedLately(run)}
            and platform_user.sponsor_id <> platform_user.id
          offset 0
        ) as computed
      ) as judged`;
  },
};

export const referralCheck: JobKind = {
  plan,
  moves: [{ kind: 'referral', amount: 'base', debit: 'referral_bonuses', credit: 'available' }],
  // A sponsor is paid for the user they referred.
  causeIsUser: true,
  periodToPay: (tx, { now }) =>
    refusePaid(tx, kind, { period: now.toISOString().slice(0, 19).replace('T', ' '), day: dayOf(now) }),
  // The next check reads all recent users again.
  hasUnpaidPeriod: async () => false,
  isForSamePayments: () => true,
  keepsSettings: true,
  // The part of a payment is the number of its own reversals.
  partOf: async () => 0,
  schedule: null,
};
