import type { RunKind } from 'contract/run-kinds.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Database, Tx } from '#server/core/db/db.ts';
import { lockFor } from '#server/core/db/db.ts';
import { isUnderMaintenance } from '#server/core/db/maintenance.ts';
import type { Enqueue } from '#server/core/queue/queue.ts';
import type { Schedule } from '../kinds/kind.ts';
import { createRun } from '../planning/create.ts';
import { forTheSchedule, supersedePlan } from '../planning/supersede.ts';
import { isSettled, selectLive, selectSettings, selectVersions } from '../store/run-queries.ts';
import { wasAttempted, insertDue, selectLastDue } from './due-queries.ts';
import { isMomentOf, momentsIn, scheduledKinds } from './moments.ts';

type Means = { enqueue: Enqueue; now: Date };
type EveryPeriod = { kind: RunKind; schedule: Extract<Schedule, { catchUp: 'every-period' }> };
type LatestOnly = { kind: RunKind; schedule: Extract<Schedule, { catchUp: 'latest' }> };

/** Asked every minute, of any number of processes: each moment is noted once, with what became of it. */
export async function fireWhatIsDue(database: Database, means: Means) {
  for (const { kind, schedule } of scheduledKinds) {
    await database.transaction().execute(async (tx) => {
      await lockFor(tx, 'runs.due');
      if (await isUnderMaintenance(tx)) return;
      if (schedule.catchUp === 'every-period') await fireNextPeriod(tx, means, { kind, schedule });
      else await fireLatest(tx, means, { kind, schedule });
    });
  }
}

/** The earliest period that is not paid. One that was begun and left is for people to look at: no later one passes it. */
async function fireNextPeriod(tx: Tx, means: Means, { kind, schedule }: EveryPeriod) {
  const saved = await selectSettings(tx, kind);
  if (!schedule.recurrence(saved.settings).enabled) return;
  const [day] = await schedule.unpaidPeriods(tx, means.now);
  if (day === undefined) return;
  const dueAt = schedule.dueAt(day);
  if (!(await wasAttempted(tx, { kind, day, dueAt }))) await fire(tx, means, { kind, saved, dueAt, period: day, day });
}

/**
 * Only the last moment is made up for, and only if the schedule of now has it too: of those before it people decide, and
 * what somebody has changed since is not done after all.
 */
async function fireLatest(tx: Tx, means: Means, { kind, schedule }: LatestOnly) {
  const versions = await selectVersions(tx, kind);
  const saved = versions.at(-1);
  if (!saved) throw new Error(`The job ${kind} has no settings.`);
  const recurrence = schedule.recurrence(saved.settings);
  const noted = await selectLastDue(tx, kind);
  const from = Math.max((noted?.getTime() ?? 0) + 1, means.now.getTime() - longestAwayMs);
  const until = new Date(means.now.getTime() + 1);
  const moments = momentsIn(versions, { schedule, from: new Date(from), until }).map(({ at }) => at);
  const last = moments.at(-1);
  const dueAt = last && isMomentOf(recurrence, last) ? last : undefined;
  for (const missed of moments.filter((moment) => moment !== dueAt)) {
    const code = isMomentOf(recurrence, missed) ? 'no-worker' : 'schedule-changed';
    await insertDue(tx, { kind, dueAt: missed, outcome: 'missed', why: { code, params: {} } });
  }
  if (dueAt === undefined) return;
  const period = schedule.periodAt(dueAt, saved.settings);
  await supersedePlan(tx, kind, forTheSchedule);
  const live = await selectLive(tx, kind);
  if (live) {
    const params = { kind, period: live.period };
    await insertDue(tx, { kind, dueAt, outcome: 'overlapped', why: { code: 'run-active', params } });
  } else if (await isSettled(tx, { kind, period: period.period })) {
    const params = { kind, period: period.period };
    await insertDue(tx, { kind, dueAt, outcome: 'skipped', why: { code: 'already-paid', params } });
  } else {
    await fire(tx, means, { kind, saved, dueAt, ...period });
  }
}

/** A year: whoever was away for longer than that begins anew. */
const longestAwayMs = 366 * 86_400_000;

type Due = Omit<Parameters<typeof createRun>[1], 'plannedBy' | 'enqueue'> & { dueAt: Date };

async function fire(tx: Tx, { enqueue }: Means, { dueAt, ...wanted }: Due) {
  const { kind, period } = wanted;
  await supersedePlan(tx, kind, forTheSchedule);
  if (await selectLive(tx, kind)) return;
  const run = await createRun(tx, { plannedBy: null, enqueue, ...wanted });
  await insertDue(tx, { kind, dueAt, outcome: 'fired', runId: run.id });
  await recordAudit(tx, { actorId: null, action: 'runs.plan', subjectId: run.id, details: { kind, period } });
}
