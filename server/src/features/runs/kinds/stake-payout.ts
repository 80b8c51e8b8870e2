import { payoutRecurrence, StakePayout } from 'contract/jobs-stake-payout.ts';
import { sql } from 'kysely';
import { type Db, runQuery, selectNow, type Tx } from '#server/core/db/db.ts';
import { partOf, postedFor } from '#server/core/ledger/lines.ts';
import { Refusal } from '#server/core/refusal.ts';
import { holdNewRuns } from '../store/placed-stakes.ts';
import { countAttempts, fullyPaid } from '../store/run-queries.ts';
import type { JobKind, Plan, Planning } from './kind.ts';
import { dueAfter, lastDay } from './periods.ts';
import { rankAt } from './rank-at.ts';

const kind = 'stake-payout';

/**
 * Stakes placed before the day and active on it. When a day is paid again, some may be completed by now: after the day,
 * unless they were over when they were imported. Nothing is paid any more for a stake that ended early: its loyalty is
 * forfeited.
 */
const paidFor = ({ day, part }: Planning) =>
  part === 0
    ? sql`stake.status = 'Active' and stake.created_at < ${day}::date`
    : sql`stake.created_at < ${day}::date and stake.ended_early_at is null
        and (stake.status = 'Active' or stake.ends_on >= ${day}::date and stake.completed_at >= ${day}::date + 1)`;

/**
 * The loyalty that was set aside for a stake up to the day before, and neither reversed nor paid out. A stake has few
 * days, and each is one index lookup.
 */
const setAsideBefore = (day: string) => sql`
  coalesce((
    select sum(case it.kind when 'stake-loyalty' then it.units else -it.units end)
    from generate_series(stake.created_at::date, ${day}::date - 1, interval '1 day') as past (day)
    cross join lateral ${postedFor(sql`past.day::date`, sql`stake.id`)} as it
    where it.kind in ('stake-loyalty', 'loyalty')
  ), 0)::bigint`;

/** Only a day with an earlier attempt can have been paid in part. */
const paidBefore = ({ day, part }: Planning) =>
  part === 0
    ? sql`false`
    : sql`exists (
        select from ${postedFor(sql`(select ${day}::date)`, sql`stake.id`)} as it
        where it.kind in ('stake-base', 'stake-bonus', 'stake-loyalty'))`;

const rewards = ['stake-base', 'stake-bonus', 'stake-loyalty', 'loyalty'] as const;

const partFor = ({ day, part }: Planning) =>
  part === 0 ? sql`0` : partOf({ day, causeId: sql`stake.id`, kinds: rewards });

const plan: Plan = {
  inputsOf: async () => ({}),

  users: (run, after) => sql`
    select stake.user_id as "userId" from stake
    where stake.user_id > ${after}::uuid and ${paidFor(run)} order by stake.user_id`,

  lines: (run, { after, to }) => {
    const { baseReward, bonusReward, loyaltyReward } = StakePayout.parse(run.settings);
    const unshared = 10_000 - baseReward - bonusReward - loyaltyReward;
    const share = (basisPoints: number) =>
      sql`share_of(stake.amount_usd, stake.daily_rate_ppm::bigint * ${sql.lit(basisPoints)})`;
    // A stake whose owner was ineligible on its last day is completed later, but earns nothing after its last day.
    const earned = (basisPoints: number) =>
      sql`case when stake.ends_on >= ${run.day}::date then ${share(basisPoints)} else 0 end`;
    return sql`
      select user_id, cause_id, part, input, rate_ppm, ranked,
        case when skip is null then base else 0 end as base,
        case when skip is null and ranked then bonus else 0 end as bonus,
        case when skip is null then loyalty else 0 end as loyalty,
        case when skip is not null then 0 when completes then loyalty + set_aside when ended then loyalty else 0 end
          as closing,
        skip is null and completes as completes, skip, case when skip = 'paid' then 0 else budget end as budget,
        case when skip is null and not ranked then bonus else 0 end as unranked,
        case when skip is null then unshared else 0 end as unshared
      from (
        select *, case
          when ineligible is not null then ineligible
          when base + loyalty + case when ranked then bonus else 0 end = 0 and not completes then 'nothing'
        end::skip_reason as skip
        from (
          select stake.user_id, stake.id as cause_id, ${partFor(run)} as part, stake.amount_usd as input, stake.daily_rate_ppm as rate_ppm,
            ${rankAt(run.asOf)} <> 'none' as ranked, ${earned(10_000)} as budget, ${earned(baseReward)} as base,
            ${earned(bonusReward)} as bonus, ${earned(loyaltyReward)} as loyalty, ${earned(unshared)} as unshared,
            stake.status = 'Active' and stake.ends_on <= ${run.day}::date as completes,
            -- When a day is paid again after the stake has ended, no later day would pay out the loyalty.
            stake.status = 'Completed' as ended,
            case when stake.status = 'Active' and stake.ends_on <= ${run.day}::date
              then ${setAsideBefore(run.day)} end as set_aside,
            case
              when platform_user.retired_at is not null then 'deleted'
              when platform_user.blacklisted_at is not null then 'blacklisted'
              when ${paidBefore(run)} then 'paid'
            end as ineligible
          from stake join platform_user on platform_user.id = stake.user_id
          where stake.user_id > ${after}::uuid and stake.user_id <= ${to}::uuid and ${paidFor(run)}
          offset 0
        ) as computed
      ) as judged`;
  },
};

/** Returns all unpaid days, oldest first. Before the first run, they start after the last payout in the ledger. */
async function selectUnpaidDays(db: Db, lastDay: string) {
  const days = await runQuery<{ day: string }>(
    db,
    sql`
    with started as (
      -- A preview does not count as a start: it would make the schedule pay all days since.
      select min(day) as day from run
      where kind = ${sql.lit(kind)} and reverses is null and (started_at is not null or planned_by is null)
    ),
    brought as (select day from transfer where kind = 'stake-base' order by day desc limit 1),
    first as (
      select coalesce((select day from started), (select day + 1 from brought), ${lastDay}::date) as day
    )
    select due.day::date::text as day
    from first, generate_series(first.day, ${lastDay}::date, interval '1 day') as due (day)
    where not exists (
      select from run as paid where paid.kind = ${sql.lit(kind)} and paid.day = due.day::date and ${fullyPaid})
    order by due.day`,
  );
  return days.map(({ day }) => day);
}

/**
 * Returns the last day that is or will be paid by an existing plan: a stake that is placed before it would miss a reward.
 * Before the first payout, it is the day before the first one that can be paid. Makes new runs wait until the
 * transaction ends.
 */
export async function selectPayoutDay(tx: Tx) {
  await holdNewRuns(tx);
  const [last] = await runQuery<{ day: string }>(
    tx,
    sql`select coalesce(
      greatest(
        (select max(day) from run
          where kind = ${sql.lit(kind)} and reverses is null and (started_at is not null or ended_at is null)),
        (select day from transfer where kind = 'stake-base' order by day desc limit 1)
      ),
      (now() at time zone 'UTC')::date - 2
    )::text as day`,
  );
  if (!last) throw new Error('The database did not name a day.');
  return last.day;
}

/** A payout uses the rules and ranks at the end of its day. */
const payoutOf = (day: string) => ({ period: day, day, asOf: dueAfter(day) });

const unpaidPeriods = (db: Db, now: Date) => selectUnpaidDays(db, lastDay(now));

export const stakePayout: JobKind = {
  plan,
  moves: [
    { kind: 'stake-base', amount: 'base', debit: 'stake_rewards', credit: 'available' },
    { kind: 'stake-bonus', amount: 'bonus', debit: 'stake_rewards', credit: 'available' },
    { kind: 'stake-loyalty', amount: 'loyalty', debit: 'treasury', credit: 'loyalty', ofPlatform: true },
    { kind: 'loyalty', amount: 'closing', debit: 'loyalty', credit: 'available' },
    // Placing the stake was part 0. The completion is part 1, and one more for each reversal of it.
    {
      kind: 'stake',
      amount: 'returned',
      debit: 'staked',
      credit: 'available',
      // The owner posts this kind as well, by placing the stake.
      alsoByOthers: true,
      part: sql`case when line.completes then (
        select 1 + count(*) from transfer_once as once
        where once.kind = 'stake' and once.cause_id = line.cause_id and once.reverses
      )::int else 0 end`,
    },
  ],
  causeIsUser: false,
  periodToPay: async (tx, { now }) => {
    const [day] = await unpaidPeriods(tx, now);
    if (day === undefined) throw new Refusal('NothingDue');
    return payoutOf(day);
  },
  // No day is paid before an earlier one.
  hasUnpaidPeriod: async (db, { period }) => (await unpaidPeriods(db, await selectNow(db)))[0] === period,
  isForSamePayments: () => true,
  // Stakes are paid independently, so a day that was started with wrong settings is completed with the corrected ones.
  keepsSettings: false,
  countAttempts: (tx, day) => countAttempts(tx, { kind, day }),
  plannableFrom: (now) => now,
  schedule: {
    catchUp: 'every-period',
    recurrence: (settings) => ({ ...payoutRecurrence, enabled: StakePayout.parse(settings).enabled }),
    unpaidPeriods,
    periodOf: payoutOf,
    dueAt: dueAfter,
  },
};
