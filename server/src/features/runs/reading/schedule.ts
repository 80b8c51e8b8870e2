import { nextRuns } from 'contract/jobs.ts';
import { writeAmount } from 'contract/core/money.ts';
import { RunKind } from 'contract/run-kinds.ts';
import { limitOf } from '#server/core/approvals/approvals.ts';
import type { Db } from '#server/core/db/db.ts';
import { recurrenceIn, type Scheduled, scheduledJobs } from '../schedule/moments.ts';
import { payments } from '../kinds/kinds.ts';
import { selectSettings } from '../store/run-queries.ts';
import { findStandstill, letsPass } from '../schedule/standstill.ts';

export async function readSchedule(db: Db, now: Date) {
  const schedule = [];
  for (const job of RunKind.options) {
    const kind = scheduledJobs.find((one) => one === job);
    const due = kind ? await readDue(db, kind, now) : notScheduled;
    schedule.push({ job, limit: await readLimit(db, job), ...due });
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

async function readLimit(db: Db, job: RunKind) {
  const { asset } = payments[job];
  return { amount: writeAmount(await limitOf(db, 'run', asset), asset), asset };
}
