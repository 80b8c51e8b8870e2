import { writeAmount } from 'contract/core/money.ts';
import { RunKind, runKinds } from 'contract/run-kinds.ts';
import { readScheduleLimit } from '#server/core/approvals/limits.ts';
import type { Db } from '#server/core/db/db.ts';
import { type Scheduled, scheduledKinds } from '../schedule/occurrences.ts';
import { selectSettings } from '../store/run-queries.ts';
import { findBlockedSchedule, isBlocking } from '../schedule/blocked-schedule.ts';
import { nextRuns } from 'contract/recurrence.ts';

export async function readSchedule(db: Db, now: Date) {
  const schedule = [];
  for (const job of RunKind.options) {
    const scheduled = scheduledKinds.find(({ kind }) => kind === job);
    const due = scheduled ? await readDue(db, scheduled, now) : notScheduled;
    schedule.push({ job, limit: await readLimit(db, job), ...due });
  }
  return { schedule };
}

const notScheduled = { enabled: false, nextRun: null, blockedSchedule: null };

async function readDue(db: Db, scheduled: Scheduled, now: Date) {
  const { kind, schedule } = scheduled;
  const recurrence = schedule.recurrence((await selectSettings(db, kind, now)).settings);
  if (!recurrence.enabled) return notScheduled;
  const blockedSchedule = await findBlockedSchedule(db, scheduled, now);
  const isUnblocked = blockedSchedule === null || !isBlocking(scheduled, blockedSchedule);
  return { enabled: true, nextRun: isUnblocked ? (nextRuns(recurrence, now, 1)[0] ?? null) : null, blockedSchedule };
}

async function readLimit(db: Db, job: RunKind) {
  const { asset } = runKinds[job];
  return { amount: writeAmount(await readScheduleLimit(db, asset), asset), asset };
}
