import { compareDays, dayAfter, isFlawless } from '../processes/stakes.ts';
import { faultsOf, type Fixture } from '../processes/fixture.ts';
import type { ProcessGroup } from './process-group.ts';

type Paid = { day: string; state: string; createdAt: Date; endedAt: Date | null };

async function runsOf({ pool }: Fixture) {
  const { rows } = await pool.query<Paid>(
    `select day::text, state, created_at as "createdAt", ended_at as "endedAt" from run order by day, created_at`,
  );
  return rows;
}

/** Returns the longest time, in seconds, from the last restart during a run to the end of that run. */
function slowest(runs: Paid[], restarts: Date[]) {
  const recoveries = runs.map(({ createdAt, endedAt }) => {
    if (!endedAt) return Number.POSITIVE_INFINITY;
    const within = restarts.filter((at) => at >= createdAt && at <= endedAt);
    return within.length > 0 ? endedAt.getTime() - Math.max(...within.map(Number)) : 0;
  });
  return Math.round(Math.max(...recoveries, 0) / 100) / 10;
}

export async function check(fixture: Fixture, { processes, firstDay }: { processes: ProcessGroup; firstDay: string }) {
  const runs = await runsOf(fixture);
  const days = runs.map((_, at) => dayAfter(firstDay, at));
  const inOrder = runs.every(({ day, state }, at) => day === days[at] && state === 'completed');
  const payments = await compareDays(fixture.owner, days);
  const faults = await faultsOf(fixture);
  const recoverySeconds = slowest(runs, processes.restarts);
  const sound = inOrder && isFlawless(payments) && faults.length === 0;
  return { days: runs.length, allCompleted: inOrder, ...payments, faults, recoverySeconds, sound };
}
