import { compareDays, isFlawless } from '../processes/stakes.ts';
import { faultsOf, type Fixture } from '../processes/fixture.ts';
import type { ProcessGroup } from './process-group.ts';

type Ended = { day: string; state: string; createdAt: Date; endedAt: Date | null };

async function runsOf({ pool }: Fixture) {
  const { rows } = await pool.query<Ended>(
    `select day::text, state, created_at as "createdAt", ended_at as "endedAt" from run order by created_at`,
  );
  return rows;
}

/** Returns the longest time, in seconds, from the last restart during a run to the end of that run. */
function slowest(runs: Ended[], restarts: Date[]) {
  const recoveries = runs.map(({ createdAt, endedAt }) => {
    if (!endedAt) return Number.POSITIVE_INFINITY;
    const within = restarts.filter((at) => at >= createdAt && at <= endedAt);
    return within.length > 0 ? endedAt.getTime() - Math.max(...within.map(Number)) : 0;
  });
  return Math.round(Math.max(...recoveries, 0) / 100) / 10;
}

/** The days that payouts were started for, oldest first, and whether the last run of each is completed. */
async function daysOf({ pool }: Fixture) {
  const { rows } = await pool.query<{ day: string; isPaid: boolean }>(
    `select day::text, (array_agg(state order by created_at desc))[1] = 'completed' as "isPaid"
     from run where kind = 'stake-payout' and reverses is null group by day order by day`,
  );
  return rows;
}

/** Counts the holders of the bonus's rank who have it not exactly once, unless the last run found them blacklisted. */
async function wrongBonuses({ pool }: Fixture) {
  const { rows } = await pool.query<{ wrong: number }>(
    `with last as (
       select id, day, settings from run where kind = 'rank-bonus' and reverses is null and state = 'completed'
       order by created_at desc limit 1
     ), active_payment as (
       select user_id, count(*) as times from transfer as it
       where kind = 'rank-bonus' and reverses is null
         and not exists (select from transfer as back where back.day = it.day and back.reverses = it.id)
       group by user_id
     ), excused as (
       select user_id from run_line join last on last.id = run_id and last.day = run_line.day where skip = 'blacklisted'
       union
       select user_id from run_line_dropped join last on last.id = run_id where skip = 'blacklisted'
     )
     select count(*)::int as wrong from platform_user as holder
     join last on last.settings->>'rank' = holder.rank::text
     left join active_payment on active_payment.user_id = holder.id left join excused on excused.user_id = holder.id
     where case when active_payment.times is null then excused.user_id is null else active_payment.times > 1 end`,
  );
  return rows[0]?.wrong ?? 0;
}

/** Counts the completed stakes whose owner did not get exactly the loyalty that was set aside for them. */
async function wrongLoyalty({ pool }: Fixture) {
  const { rows } = await pool.query<{ wrong: number }>(
    `select count(*)::int as wrong from (
       select stake.id from stake
       join transfer as it on it.cause_id = stake.id and it.kind in ('stake-loyalty', 'loyalty')
       where stake.status = 'Completed' group by stake.id
       having sum(case when it.kind = 'loyalty' then -1 else 1 end * case when it.reverses is null then 1 else -1 end
         * it.units) <> 0
     ) as stake`,
  );
  return rows[0]?.wrong ?? 0;
}

export async function check(fixture: Fixture, { processes }: { processes: ProcessGroup }) {
  const runs = await runsOf(fixture);
  const days = await daysOf(fixture);
  const allPaid = days.every(({ isPaid }) => isPaid);
  const payments = await compareDays(
    fixture.owner,
    days.map(({ day }) => day),
  );
  const bonuses = await wrongBonuses(fixture);
  const loyalty = await wrongLoyalty(fixture);
  const faults = await faultsOf(fixture);
  const recoverySeconds = slowest(runs, processes.restarts);
  const sound = allPaid && isFlawless(payments) && bonuses + loyalty === 0 && faults.length === 0;
  const counted = { days: days.length, runs: runs.length, allPaid, ...payments };
  return { ...counted, wrongBonuses: bonuses, wrongLoyalty: loyalty, faults, recoverySeconds, sound };
}
