import { ReferralCheck } from 'contract/jobs-referral-check.ts';
import { sql } from 'kysely';
import { runQuery } from '#server/core/db/db.ts';
import type { Inputs, JobKind, Plan, Planning } from './kind.ts';
import { dayOf, refusePaid } from './periods.ts';

const kind = 'referral-check';

/** The first stake that a user had placed at the time of the check. */
const firstStake = ({ asOf }: Planning) => sql`
  left join lateral (
    select amount_usd, created_at from stake
    where stake.user_id = platform_user.id and stake.created_at <= ${asOf} order by created_at, id limit 1
  ) as first on true`;

const periodStart = ({ day, settings }: Planning) =>
  sql`${day}::date - ${sql.lit(ReferralCheck.parse(settings).period)}`;

/**
 * Users whose first stake was placed in the last days, and users who joined in these days and have not staked yet. If
 * the previous check was longer ago, first stakes since then are included as well, so that they can be reported.
 */
const considered = (run: Planning, { since }: Inputs) => sql`
  case when first.created_at is null
    then platform_user.created_at >= ${periodStart(run)} and platform_user.created_at <= ${run.asOf}
    else first.created_at >= least(${periodStart(run)}, ${since}::timestamptz)
  end`;

const plan: Plan = {
  inputsOf: async (tx, { id, asOf }) => {
    const [previous] = await runQuery<{ since: Date | null }>(
      tx,
      sql`select max(as_of) as since from run
        where kind = ${sql.lit(kind)} and reverses is null and state = 'completed' and as_of < ${asOf} and id <> ${id}::uuid`,
    );
    return { since: (previous?.since ?? asOf).toISOString() };
  },

  users: (run, after, inputs) => sql`
    select platform_user.sponsor_id as "userId" from platform_user ${firstStake(run)}
    where platform_user.sponsor_id > ${after}::uuid and ${considered(run, inputs)} order by platform_user.sponsor_id`,

  lines: (run, { after, to }, inputs) => {
    const { reward } = ReferralCheck.parse(run.settings);
    return sql`
      select user_id, cause_id, part, input, 0 as rate_ppm, false as ranked,
        case when skip is null then units else 0 end as base, 0::bigint as bonus, 0::bigint as loyalty,
        0::bigint as closing, false as completes, skip, units as budget, 0::bigint as unranked, 0::bigint as unshared
      from (
        select *, case when ineligible is not null then ineligible when units = 0 then 'nothing' end::skip_reason as skip
        from (
          select platform_user.sponsor_id as user_id, platform_user.id as cause_id, coalesce(paid.part, 0) as part,
            coalesce(first.amount_usd, 0) as input,
            case when paid.unreversed then 0 else coalesce(share_of(first.amount_usd, ${sql.lit(reward)} * 1000000::bigint), 0)
              end as units,
            case
              when sponsor.retired_at is not null then 'deleted'
              when platform_user.blacklisted_at is not null or sponsor.blacklisted_at is not null then 'blacklisted'
              when paid.unreversed then 'paid'
              when first.amount_usd is null then 'not-staked'
              when first.created_at < ${periodStart(run)} then 'late'
            end as ineligible
          from platform_user
          join platform_user as sponsor on sponsor.id = platform_user.sponsor_id
          ${firstStake(run)}
          left join lateral (
            select count(*) filter (where reverses)::int as part,
              count(*) filter (where not reverses) > count(*) filter (where reverses) as unreversed
            from transfer_once where kind = 'referral' and cause_id = platform_user.id
          ) as paid on true
          where platform_user.sponsor_id > ${after}::uuid and platform_user.sponsor_id <= ${to}::uuid
            and ${considered(run, inputs)} and platform_user.sponsor_id <> platform_user.id
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
    refusePaid(tx, kind, { period: now.toISOString().slice(0, 19).replace('T', ' '), day: dayOf(now), asOf: now }),
  // The next check reads all recent users again.
  hasUnpaidPeriod: async () => false,
  isForSamePayments: () => true,
  keepsSettings: true,
  // The part of a payment is the number of its own reversals.
  countAttempts: async () => 0,
  schedule: null,
};
