import type { Reason } from 'contract/runs-reasons.ts';
import type { BlockedSchedule } from 'contract/runs-schedule.ts';
import type { RunKind } from 'contract/run-kinds.ts';
import { isMoving, type RunState } from 'contract/run-states.ts';
import type { Db } from '#server/core/db/db.ts';
import type { Scheduled } from './occurrences.ts';
import { countOverlapped, wasAttempted, selectLastPayment, selectLastRequest } from './due-queries.ts';
import { type RunRow, selectLive, selectRun } from '../store/run-queries.ts';

type Reversal = { at: Date; isFull: boolean };
type Blocking = { run: RunRow; reversal?: Reversal | undefined; waiting: number };

/** Returns the run that blocks a schedule. A run in progress, or a plan that the schedule supersedes, does not. */
export async function findBlockedSchedule(
  db: Db,
  { kind, schedule }: Scheduled,
  now: Date,
): Promise<BlockedSchedule | null> {
  const blocking =
    schedule.catchUp === 'every-period'
      ? await findBlockingPeriod(db, { kind, schedule }, now)
      : await findBlockingRun(db, kind);
  if (!blocking) return null;
  const { run, reversal, waiting } = blocking;
  const { id, period, state, reversed, reverses } = run;
  const request = await selectLastRequest(db, id);
  return {
    run: { id, period, state, reversed, reverses },
    since: reversal?.at ?? run.endedAt ?? run.startedAt ?? run.plannedAt ?? run.createdAt,
    why: reversal ? whyReversed(reversal) : (run.why ?? whyDenied(request)),
    nextAction: nextActions[state] ?? 'plan',
    approval: request?.id ?? null,
    waiting,
  };
}

const whyReversed = ({ isFull }: Reversal): Reason => ({
  code: isFull ? 'payments-reversed' : 'payments-partly-reversed',
  params: {},
});

const whyDenied = (request: Awaited<ReturnType<typeof selectLastRequest>>): Reason | null =>
  request?.denial ? { code: 'approval-denied', params: request.denial } : null;

/** A schedule that pays only the latest period supersedes a plan. Any other run blocks the periods after it. */
export const isBlocking = ({ schedule }: Scheduled, { run }: BlockedSchedule) =>
  schedule.catchUp === 'every-period' || run.state !== 'planned';

const nextActions: Partial<Record<RunState, BlockedSchedule['nextAction']>> = {
  planned: 'start',
  waiting: 'approve',
  paused: 'resume',
  failed: 'retry',
};

/** An open run blocks the schedule; without one, the first unpaid period does if it was attempted. */
async function findBlockingPeriod(
  db: Db,
  { kind, schedule }: Scheduled & { schedule: { catchUp: 'every-period' } },
  now: Date,
): Promise<Blocking | undefined> {
  const live = await readLive(db, kind);
  if (live && isMoving(live.state)) return undefined;
  const days = await schedule.unpaidPeriods(db, now);
  const [first] = days;
  const waitingBehind = ({ period }: RunRow) => days.filter((day) => day !== period).length;
  const needsAdministrator =
    first !== undefined && (await wasAttempted(db, { kind, day: first, dueAt: schedule.dueAt(first) }));
  const pays = live?.reverses === null && live.period === first;
  if (live && (live.state !== 'planned' || (needsAdministrator && pays))) {
    return { run: live, waiting: waitingBehind(live) };
  }
  if (!needsAdministrator) return undefined;
  const last = await selectLastPayment(db, { kind, period: first });
  const run = last && (await selectRun(db, last.id));
  return run && { run, reversal: last.reversal, waiting: waitingBehind(run) };
}

/** Only a started run blocks, or one that the schedule planned and may not start without approval. */
async function findBlockingRun(db: Db, kind: RunKind): Promise<Blocking | undefined> {
  const live = await readLive(db, kind);
  if (!live || isMoving(live.state) || (live.state === 'planned' && live.plannedById !== null)) return undefined;
  return { run: live, waiting: await countOverlapped(db, { kind, since: live.createdAt }) };
}

async function readLive(db: Db, kind: RunKind) {
  const live = await selectLive(db, kind);
  return live && selectRun(db, live.id);
}
