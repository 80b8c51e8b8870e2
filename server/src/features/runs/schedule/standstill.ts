import type { Reason } from 'contract/runs-reasons.ts';
import type { Standstill } from 'contract/runs-schedule.ts';
import type { RunKind } from 'contract/run-kinds.ts';
import { isMoving, type RunState } from 'contract/run-states.ts';
import type { Db } from '#server/core/db/db.ts';
import type { Scheduled } from './moments.ts';
import { countOverlapped, hadItsTurn, selectLastPayment, selectLastRequest } from './due-queries.ts';
import { type RunRow, selectLive, selectRun } from '../store/run-queries.ts';

type TakenBack = { at: Date; wholly: boolean };
type Standing = { run: RunRow; takenBack?: TakenBack | undefined; waiting: number };

/** What the schedule stands still at: what is under way, or makes way for it, is in nobody's way. */
export async function findStandstill(db: Db, { kind, schedule }: Scheduled, now: Date): Promise<Standstill | null> {
  const standing =
    schedule.catchUp === 'every-period'
      ? await standingPeriod(db, { kind, schedule }, now)
      : await standingRun(db, kind);
  if (!standing) return null;
  const { run, takenBack, waiting } = standing;
  const { id, period, state, reversed, reverses } = run;
  const request = await selectLastRequest(db, id);
  return {
    run: { id, period, state, reversed, reverses },
    since: takenBack?.at ?? run.endedAt ?? run.begunAt ?? run.plannedAt ?? run.createdAt,
    why: takenBack ? whyReversed(takenBack) : (run.why ?? whyDenied(request)),
    onward: onwards[state] ?? 'plan',
    approval: request?.id ?? null,
    waiting,
  };
}

const whyReversed = ({ wholly }: TakenBack): Reason => ({
  code: wholly ? 'payments-reversed' : 'payments-partly-reversed',
  params: {},
});

const whyDenied = (request: Awaited<ReturnType<typeof selectLastRequest>>): Reason | null =>
  request?.denial ? { code: 'approval-denied', params: request.denial } : null;

/** Where every period is paid, none passes another. Where only the latest is, a plan makes way for the next. */
export const letsPass = ({ schedule }: Scheduled, { run }: Standstill) =>
  schedule.catchUp === 'latest' && run.state === 'planned';

const onwards: Partial<Record<RunState, Standstill['onward']>> = {
  planned: 'start',
  waiting: 'approve',
  paused: 'resume',
  failed: 'retry',
};

/** The run that is not over is in the way; or else the first unpaid day is, if the schedule had its turn with it. */
async function standingPeriod(
  db: Db,
  { kind, schedule }: Scheduled & { schedule: { catchUp: 'every-period' } },
  now: Date,
): Promise<Standing | undefined> {
  const live = await readLive(db, kind);
  if (live && isMoving(live.state)) return undefined;
  const days = await schedule.unpaidPeriods(db, now);
  const [first] = days;
  const waitingBehind = ({ period }: RunRow) => days.filter((day) => day !== period).length;
  const isForPeople = first !== undefined && (await hadItsTurn(db, { kind, day: first, dueAt: schedule.dueAt(first) }));
  const pays = live?.reverses === null && live.period === first;
  if (live && (live.state !== 'planned' || (isForPeople && pays))) {
    return { run: live, waiting: waitingBehind(live) };
  }
  if (!isForPeople) return undefined;
  const last = await selectLastPayment(db, { kind, period: first });
  const run = last && (await selectRun(db, last.id));
  return run && { run, takenBack: last.takenBack, waiting: waitingBehind(run) };
}

/** Only what was begun, or waits for people because the schedule may not begin it by itself. */
async function standingRun(db: Db, kind: RunKind): Promise<Standing | undefined> {
  const live = await readLive(db, kind);
  if (!live || isMoving(live.state) || (live.state === 'planned' && live.plannedById !== null)) return undefined;
  return { run: live, waiting: await countOverlapped(db, { kind, since: live.createdAt }) };
}

async function readLive(db: Db, kind: RunKind) {
  const live = await selectLive(db, kind);
  return live && selectRun(db, live.id);
}
