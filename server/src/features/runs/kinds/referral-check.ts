import { ReferralCheck } from 'contract/jobs-referral-check.ts';
import { sql } from 'kysely';
import { runQuery } from '#server/core/db/db.ts';
import type { Inputs, JobKind, Plan, Planning } from './kind.ts';
import { everyone, type Range } from '../store/ranges.ts';
import { dayOf, refusePaid } from './periods.ts';

const kind = 'referral-check';

const periodStart = ({ day, settings }: Planning) =>
  sql`${day}::date - ${sql.lit(ReferralCheck.parse(settings).period)}`;

/**
 * Selects the referred users whose first stake was placed in the last days, and those who joined in these days and have
 * not staked yet. If the previous check was longer ago, first stakes since then are included as well, so that they can
 * be reported. Each half is read in the order of an index, so that a chunk costs what it has in lines.
 */
const considered = (run: Planning, { after, to }: Range, { since }: Inputs) => sql`(
  (select user_id, sponsor_id, amount_usd, created_at as staked_at from first_stake
    where sponsor_id > ${after}::uuid and sponsor_id <= ${to}::uuid and created_at <= ${run.asOf}
      and created_at >= least(${periodStart(run)}, ${since}::timestamptz)
    order by sponsor_id)
  union all
  (select id, sponsor_id, null, null from platform_user
    where sponsor_id > ${after}::uuid and sponsor_id <= ${to}::uuid and created_at <= ${run.asOf}
      and created_at >= ${periodStart(run)} and not exists (
        select from first_stake where first_stake.user_id = platform_user.id and first_stake.created_at <= ${run.asOf}
      )
    order by sponsor_id)
) as referred`;

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
    select sponsor_id as "userId" from ${considered(run, { after, to: everyone }, inputs)} order by sponsor_id`,

  lines: (run, range, inputs) => {
    const { reward } = ReferralCheck.parse(run.settings);
    return sql`
      select user_id, cause_id, part, input, 0 as rate_ppm, false as ranked,
        case when skip is null then units else 0 end as base, 0::bigint as bonus, 0::bigint as loyalty,
        0::bigint as closing, false as completes, skip, units as budget, 0::bigint as unranked, 0::bigint as unshared
      from (
        select *, case when ineligible is not null then ineligible when units = 0 then 'nothing' end::skip_reason as skip
        from (
          select referred.sponsor_id as user_id, referred.user_id as cause_id, coalesce(paid.part, 0) as part,
            coalesce(referred.amount_usd, 0) as input,
            case when paid.unreversed then 0
              else coalesce(share_of(referred.amount_usd, ${sql.lit(reward)} * 1000000::bigint), 0) end as units,
            case
              when sponsor.retired_at is not null or platform_user.retired_at is not null then 'deleted'
              when platform_user.blacklisted_at is not null or sponsor.blacklisted_at is not null then 'blacklisted'
              when paid.unreversed then 'paid'
              when referred.amount_usd is null then 'not-staked'
              when referred.staked_at < ${periodStart(run)} then 'late'
            end as ineligible
          from ${considered(run, range, inputs)}
          join platform_user on platform_user.id = referred.user_id
          join platform_user as sponsor on sponsor.id = referred.sponsor_id
          left join lateral (
            select count(*) filter (where reverses)::int as part,
              count(*) filter (where not reverses) > count(*) filter (where reverses) as unreversed
            from transfer_once where kind = 'referral' and cause_id = referred.user_id
          ) as paid on true
          where referred.sponsor_id <> referred.user_id
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
  plannableFrom: (now) => now,
  schedule: null,
};
