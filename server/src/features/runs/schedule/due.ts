import type { RunKind } from 'contract/run-kinds.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Database, Tx } from '#server/core/db/db.ts';
import { lockFor } from '#server/core/db/db.ts';
import { isUnderMaintenance } from '#server/core/db/maintenance.ts';
import type { Enqueue } from '#server/core/queue/queue.ts';
import type { Schedule } from '../kinds/kind.ts';
import { createRun } from '../planning/create.ts';
import { forTheSchedule, supersedePlan } from '../planning/supersede.ts';
import { isFullyPaid, selectLive, selectSettings, selectVersions } from '../store/run-queries.ts';
import { wasAttempted, insertDue, selectLastDue } from './due-queries.ts';
import { isOccurrenceOf, occurrencesIn, type Scheduled, scheduledKinds } from './occurrences.ts';

type Deps = { enqueue: Enqueue; now: Date };
type EveryPeriod = { kind: RunKind; schedule: Extract<Schedule, { catchUp: 'every-period' }> };
type LatestOnly = { kind: RunKind; schedule: Extract<Schedule, { catchUp: 'latest' }> };

/**
 * Plans the runs that are due. Every worker calls it once a minute; the lock and the row in run_due make sure that each
 * occurrence is handled once. An error of one kind does not keep the others from being planned.
 */
export async function triggerDueRuns(database: Database, deps: Deps) {
  const errors: unknown[] = [];
  for (const scheduled of scheduledKinds) {
    await triggerKind(database, deps, scheduled).catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
}

const triggerKind = (database: Database, deps: Deps, { kind, schedule }: Scheduled) =>
  database.transaction().execute(async (tx) => {
    await lockFor(tx, 'runs.due');
    if (await isUnderMaintenance(tx)) return;
    if (schedule.catchUp === 'every-period') await triggerNextPeriod(tx, deps, { kind, schedule });
    else await triggerLatest(tx, deps, { kind, schedule });
  });

/** Plans the earliest unpaid period. One that was attempted and not paid blocks the later ones. */
async function triggerNextPeriod(tx: Tx, deps: Deps, { kind, schedule }: EveryPeriod) {
  const saved = await selectSettings(tx, kind, deps.now);
  if (!schedule.recurrence(saved.settings).enabled) return;
  const [day] = await schedule.unpaidPeriods(tx, deps.now);
  if (day === undefined) return;
  const dueAt = schedule.dueAt(day);
  if (!(await wasAttempted(tx, { kind, day, dueAt })))
    await trigger(tx, deps, { kind, saved, dueAt, ...schedule.periodOf(day) });
}

/**
 * Plans the latest occurrence, and only if the current settings contain it as well. Earlier occurrences are recorded as
 * missed, and an administrator decides about them.
 */
async function triggerLatest(tx: Tx, deps: Deps, { kind, schedule }: LatestOnly) {
  const versions = await selectVersions(tx, kind);
  const saved = await selectSettings(tx, kind, deps.now);
  const recurrence = schedule.recurrence(saved.settings);
  const noted = await selectLastDue(tx, kind);
  const from = Math.max((noted?.getTime() ?? 0) + 1, deps.now.getTime() - longestAwayMs);
  const until = new Date(deps.now.getTime() + 1);
  const occurrences = occurrencesIn(versions, { schedule, from: new Date(from), until }).map(({ at }) => at);
  const last = occurrences.at(-1);
  const dueAt = last && isOccurrenceOf(recurrence, last) ? last : undefined;
  for (const missed of occurrences.filter((occurrence) => occurrence !== dueAt)) {
    const code = isOccurrenceOf(recurrence, missed) ? 'no-worker' : 'schedule-changed';
    await insertDue(tx, { kind, dueAt: missed, outcome: 'missed', why: { code, params: {} } });
  }
  if (dueAt === undefined) return;
  const period = schedule.periodAt(dueAt, saved.settings);
  await supersedePlan(tx, kind, forTheSchedule);
  const live = await selectLive(tx, kind);
  if (live) {
    const params = { kind, period: live.period };
    await insertDue(tx, { kind, dueAt, outcome: 'overlapped', why: { code: 'run-active', params } });
  } else if (await isFullyPaid(tx, { kind, period: period.period })) {
    const params = { kind, period: period.period };
    await insertDue(tx, { kind, dueAt, outcome: 'skipped', why: { code: 'already-paid', params } });
  } else {
    await trigger(tx, deps, { kind, saved, dueAt, ...period, asOf: deps.now });
  }
}

/** A year. After a longer downtime, older occurrences are not recorded. */
const longestAwayMs = 366 * 86_400_000;

type Due = Omit<Parameters<typeof createRun>[1], 'plannedBy' | 'enqueue'> & { dueAt: Date };

async function trigger(tx: Tx, { enqueue }: Deps, { dueAt, ...params }: Due) {
  const { kind, period } = params;
  await supersedePlan(tx, kind, forTheSchedule);
  if (await selectLive(tx, kind)) return;
  const run = await createRun(tx, { plannedBy: null, enqueue, ...params });
  await insertDue(tx, { kind, dueAt, outcome: 'triggered', runId: run.id });
  await recordAudit(tx, { actorId: null, action: 'runs.plan', subjectId: run.id, details: { kind, period } });
}
