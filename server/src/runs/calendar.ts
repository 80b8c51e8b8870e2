import { GmpDistribution, type JobName, nextRuns, payoutRecurrence, StakePayout } from 'contract/jobs.ts';
import type { CalendarEntry } from 'contract/runs.ts';
import type { Db } from '#server/db/db.ts';
import { Refusal } from '#server/http/refusal.ts';
import { selectNoted } from './due-queries.ts';
import { selectSettings } from './queries.ts';

const dayMs = 86_400_000;
const daysAtMost = 62;

type Wish = { from: string; to: string; now: Date };

/** What was due and what became of it, and what the settings of now say is still to come. */
export async function readCalendar(db: Db, { from, to, now }: Wish) {
  const begins = new Date(from);
  const ends = new Date(Date.parse(to) + dayMs);
  if (ends.getTime() - begins.getTime() > daysAtMost * dayMs) throw new Refusal('TooLong');
  const noted = await selectNoted(db, { begins, ends });
  const past = noted.map(
    ({ runId, period, state, reverses, ...entry }): CalendarEntry => ({
      ...entry,
      run: runId === null ? null : { id: runId, period, state, reverses },
    }),
  );
  const coming = await comingRuns(db, { begins: begins > now ? begins : now, ends });
  return { entries: [...past, ...coming].toSorted((one, other) => one.at.getTime() - other.at.getTime()) };
}

async function comingRuns(db: Db, { begins, ends }: { begins: Date; ends: Date }) {
  const payout = StakePayout.parse((await selectSettings(db, 'stake-payout')).settings);
  const distribution = GmpDistribution.parse((await selectSettings(db, 'gmp-distro')).settings);
  const of = (kind: JobName, recurrence: typeof payoutRecurrence) =>
    nextRuns(recurrence, begins, daysAtMost)
      .filter((at) => at < ends)
      .map((at): CalendarEntry => ({ kind, at, outcome: 'coming', run: null, why: null }));
  return [
    ...(payout.enabled ? of('stake-payout', payoutRecurrence) : []),
    ...(distribution.enabled ? of('gmp-distro', distribution) : []),
  ];
}
