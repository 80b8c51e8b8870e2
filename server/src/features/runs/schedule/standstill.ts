import type { Standstill } from 'contract/runs-schedule.ts';
import type { RunState } from 'contract/run-states.ts';
import type { Db } from '#server/core/db/db.ts';
import { countOverlapped, hadItsTurn, selectLastPayment, selectLastRequest } from './due-queries.ts';
import type { Scheduled } from './moments.ts';
import { lastDay } from '../kinds/periods.ts';
import { type RunRow, selectLive, selectRun, selectUnpaidDays } from '../store/run-queries.ts';

type TakenBack = { at: Date; wholly: boolean };
type Standing = { run: RunRow; takenBack?: TakenBack | undefined; waiting: number };

/** What the schedule stands still at: what is under way, or makes way for it, is in nobody's way. */
export async function findStandstill(db: Db, kind: Scheduled, now: Date): Promise<Standstill | null> {
  const standing = kind === 'stake-payout' ? await standingPayout(db, now) : await standingDistribution(db);
  if (!standing) return null;
  const { run, takenBack, waiting } = standing;
  const { id, period, state, reversed, reverses } = run;
  const request = await selectLastRequest(db, id);
  return {
    run: { id, period, state, reversed, reverses },
    since: takenBack?.at ?? run.endedAt ?? run.begunAt ?? run.plannedAt ?? run.createdAt,
    why: takenBack ? sayTakenBack(takenBack) : (run.why ?? request?.denial ?? null),
    onward: onwards[state] ?? 'plan',
    approval: request?.id ?? null,
    waiting,
  };
}

const sayTakenBack = ({ wholly }: TakenBack) =>
  wholly ? 'Its payments were reversed.' : 'Some of its payments were reversed.';

/** A payout lets no later day pass. A distribution that nobody has begun makes way for the next. */
export const letsPass = (kind: Scheduled, { run }: Standstill) => kind === 'gmp-distro' && run.state === 'planned';

const onwards: Partial<Record<RunState, Standstill['onward']>> = {
  planned: 'start',
  waiting: 'approve',
  paused: 'resume',
  failed: 'retry',
};

const isMoving = ({ state }: RunRow) => state === 'planning' || state === 'running';

/** The run that is not over is in the way; or else the first unpaid day is, if the schedule had its turn with it. */
async function standingPayout(db: Db, now: Date): Promise<Standing | undefined> {
  const kind = 'stake-payout';
  const live = await readLive(db, kind);
  if (live && isMoving(live)) return undefined;
  const days = await selectUnpaidDays(db, lastDay(now));
  const [first] = days;
  const waitingBehind = ({ period }: RunRow) => days.filter((day) => day !== period).length;
  const isForPeople = first !== undefined && (await hadItsTurn(db, first));
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
async function standingDistribution(db: Db): Promise<Standing | undefined> {
  const kind = 'gmp-distro';
  const live = await readLive(db, kind);
  if (!live || isMoving(live) || (live.state === 'planned' && live.plannedById !== null)) return undefined;
  return { run: live, waiting: await countOverlapped(db, { kind, since: live.createdAt }) };
}

async function readLive(db: Db, kind: Scheduled) {
  const live = await selectLive(db, kind);
  return live && selectRun(db, live.id);
}
