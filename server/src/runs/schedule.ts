import { GmpDistribution, JobName, nextRuns, payoutRecurrence, StakePayout } from 'contract/jobs.ts';
import type { Db } from '#server/db/db.ts';
import { selectSettings } from './queries.ts';
import { findStandstill, letsPass, type Scheduled } from './standstill.ts';

/** What has a time of its own; the other two jobs begin when somebody says so. */
export const scheduledJobs: readonly Scheduled[] = ['stake-payout', 'gmp-distro'];

/** When it is due, by its settings. */
export function recurrenceIn(kind: Scheduled, settings: unknown) {
  if (kind === 'gmp-distro') return GmpDistribution.parse(settings);
  return { ...payoutRecurrence, enabled: StakePayout.parse(settings).enabled };
}

export async function readSchedule(db: Db, now: Date) {
  const schedule = [];
  for (const job of JobName.options) {
    const kind = scheduledJobs.find((one) => one === job);
    schedule.push({ job, ...(kind ? await readDue(db, kind, now) : notScheduled) });
  }
  return { schedule };
}

const notScheduled = { enabled: false, nextRun: null, standstill: null };

async function readDue(db: Db, kind: Scheduled, now: Date) {
  const recurrence = recurrenceIn(kind, (await selectSettings(db, kind)).settings);
  if (!recurrence.enabled) return notScheduled;
  const standstill = await findStandstill(db, kind, now);
  const goesOn = standstill === null || letsPass(kind, standstill);
  return { enabled: true, nextRun: goesOn ? (nextRuns(recurrence, now, 1)[0] ?? null) : null, standstill };
}
