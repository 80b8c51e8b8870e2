import { RankBonus, weeksBack } from 'contract/jobs-rank-bonus.ts';
import { Rank } from 'contract/ranks.ts';
import { sql } from 'kysely';
import { partOf, postedFor } from '#server/core/ledger/lines.ts';
import { everyone } from '../store/ranges.ts';
import { countAttempts, isFullyPaid } from '../store/run-queries.ts';
import type { JobKind, Plan, Planning } from './kind.ts';
import { mondayOf, refusePaid, weekOf } from './periods.ts';
import { holdersAt } from './rank-at.ts';

const kind = 'rank-bonus';
const weekMs = 7 * 86_400_000;

/** A week has a bonus for each rank, so the rank is the last digit of the part. */
const variantOf = (rank: Rank) => Rank.options.indexOf(rank) + 1;

const partFor = ({ day, part }: Planning, rank: Rank) =>
  part === 0
    ? sql`${sql.lit(variantOf(rank))}`
    : partOf({ day, causeId: sql`platform_user.id`, kinds: ['rank-bonus'], variant: variantOf(rank) });

const paidBefore = ({ day, part }: Planning, rank: Rank) =>
  part === 0
    ? sql`false`
    : sql`exists (
        select from ${postedFor(sql`(select ${day}::date)`, sql`platform_user.id`)} as it
        where it.kind = 'rank-bonus' and it.part % 10 = ${variantOf(rank)})`;

const plan: Plan = {
  inputsOf: async () => ({}),

  users: (run, after) => {
    const { rank } = RankBonus.parse(run.settings);
    return sql`
      select platform_user.id as "userId"
      from (${holdersAt(rank, run.asOf, { after, to: everyone })}) as held
      join platform_user on platform_user.id = held.user_id
      where platform_user.retired_at is null order by platform_user.id`;
  },

  lines: (run, { after, to }) => {
    const { rank, bonusAmount } = RankBonus.parse(run.settings);
    return sql`
      select user_id, cause_id, part, ${bonusAmount}::bigint as input, 0 as rate_ppm,
        true as ranked, case when skip is null then ${bonusAmount}::bigint else 0 end as base, 0::bigint as bonus,
        0::bigint as loyalty, 0::bigint as closing, false as completes, skip,
        case when skip = 'paid' then 0 else ${bonusAmount}::bigint end as budget,
        0::bigint as unranked, 0::bigint as unshared
      from (
        select platform_user.id as user_id, platform_user.id as cause_id, ${partFor(run, rank)} as part, case
          when platform_user.blacklisted_at is not null then 'blacklisted'
          when ${paidBefore(run, rank)} then 'paid'
        end::skip_reason as skip
        from (${holdersAt(rank, run.asOf, { after, to })}) as held
        join platform_user on platform_user.id = held.user_id
        where platform_user.retired_at is null
        offset 0
      ) as judged`;
  },
};

export const rankBonus: JobKind = {
  plan,
  moves: [{ kind: 'rank-bonus', amount: 'base', debit: 'rank_bonuses', credit: 'available' }],
  causeIsUser: false,
  periodToPay: (tx, { settings, now }) =>
    refusePaid(tx, kind, { period: `${weekOf(now)} ${RankBonus.parse(settings).rank}`, day: mondayOf(now), asOf: now }),
  hasUnpaidPeriod: async (db, { period }) => !(await isFullyPaid(db, { kind, period })),
  isForSamePayments: (saved, used) => RankBonus.parse(saved).rank === RankBonus.parse(used).rank,
  keepsSettings: true,
  countAttempts: (tx, day) => countAttempts(tx, { kind, day }),
  plannableFrom: (now) => new Date(Date.parse(mondayOf(now)) - weeksBack * weekMs),
  schedule: null,
};
