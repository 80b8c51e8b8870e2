import type { Database, Tx } from '#server/core/db/db.ts';
import { isTransient, isOvertaken } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { startOnSchedule } from '../paying/start.ts';
import { hashOf } from '../store/plan-hash.ts';
import {
  deleteLastChunk,
  exportSnapshot,
  holdPlan,
  insertChunk,
  isPlanning,
  importSnapshot,
  selectEnd,
  keepAlive,
  updatePlanned,
} from './plan-queries.ts';
import { planOf } from '../kinds/kinds.ts';
import type { Inputs, Planning } from '../kinds/kind.ts';
import { lockRun, lookUpByKey, type RunRow, selectRun, updateRun } from '../store/run-queries.ts';
import type { Enqueue } from '#server/core/queue/queue.ts';
import { beforeAll } from '../store/ranges.ts';
import { selectDigests } from '../store/chunk-queries.ts';
import { messageOf } from '../store/error-message.ts';

type PlanDeps = {
  database: Database;
  enqueue: Enqueue;
  /** Only for tests, which plan few lines in several chunks. The hash of a plan depends on it. */
  linesInChunk?: number;
};

/**
 * Writes the plan of a run: all lines are computed from one snapshot, in one short transaction per chunk. An
 * interrupted plan is discarded and started over. An error that is not transient fails the run.
 */
export async function planRun(deps: PlanDeps, runId: string, signal: AbortSignal) {
  const { database, linesInChunk } = deps;
  const run = await selectRun(database, runId);
  if (run?.state !== 'planning') return;
  try {
    await database.transaction().execute(async (holder) => {
      if (!(await holdPlan(holder, runId))) return;
      const planned = await withSnapshot(holder, (snapshot) =>
        writeLines(database, { run, snapshot, signal, linesInChunk }),
      );
      if (planned) await finishPlan(deps, run, planned);
    });
  } catch (error) {
    if (signal.aborted || isTransient(error)) throw error;
    await giveUp(database, runId, error);
    throw error;
  }
}

const keepAliveMs = 3_000;

/** Keeps the snapshot valid during the work. Regular statements keep the idle transaction from timing out. */
async function withSnapshot<T>(holder: Tx, work: (snapshot: { snapshot: string; at: Date }) => Promise<T>) {
  const snapshot = await exportSnapshot(holder);
  let pending: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    pending = keepAlive(holder).catch(() => undefined);
  }, keepAliveMs);
  try {
    return await work(snapshot);
  } finally {
    clearInterval(timer);
    await pending;
  }
}

type Writing = {
  run: RunRow;
  snapshot: { snapshot: string; at: Date };
  signal: AbortSignal;
  linesInChunk: number | undefined;
};
type Written = { inputs: Inputs; at: Date };

/** Writes chunks until no users are left or the run is no longer being planned. */
async function writeLines(database: Database, { run, snapshot: { snapshot, at }, signal, linesInChunk }: Writing) {
  const inSnapshot = <T>(work: (tx: Tx) => Promise<T>) =>
    database
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (tx) => {
        await importSnapshot(tx, snapshot);
        return work(tx);
      });
  while (await database.transaction().execute((tx) => deleteLastChunk(tx, run))) signal.throwIfAborted();

  const plan = planOf(run);
  const inputs = await inSnapshot((tx) => plan.inputsOf(tx, run));
  let after = beforeAll;
  for (let no = 1; ; no += 1) {
    signal.throwIfAborted();
    const range = { after };
    const to = await inSnapshot(async (tx) => {
      await lookUpByKey(tx);
      const end = await selectEnd(tx, plan.users(run, range.after), linesInChunk);
      if (end === undefined || !(await isPlanning(tx, run.id))) return undefined;
      await insertChunk(tx, { run, plan, no, range: { ...range, to: end }, inputs });
      return end;
    }).catch((error: unknown) => {
      // The run was changed after the snapshot, so it is no longer being planned.
      if (isOvertaken(error)) return undefined;
      throw error;
    });
    if (to === undefined) return { inputs, at };
    after = to;
  }
}

function finishPlan({ database, enqueue }: PlanDeps, run: Planning, { inputs, at }: Written) {
  return database.transaction().execute(async (tx) => {
    const locked = await lockRun(tx, run.id);
    if (locked?.state !== 'planning') return;
    const planHash = hashOf({ ...locked, inputs }, await selectDigests(tx, run.id));
    await updatePlanned(tx, locked, { inputs, planHash, at });
    await announce(tx, { feature: 'runs', id: run.id });
    const planned = await selectRun(tx, run.id);
    if (planned && planned.plannedById === null) await startOnSchedule(tx, planned, enqueue);
  });
}

/** An error that is not transient would repeat, so the run fails and waits for an administrator. */
function giveUp(database: Database, runId: string, error: unknown) {
  return database.transaction().execute(async (tx) => {
    const run = await lockRun(tx, runId);
    if (run?.state !== 'planning') return;
    const params = { message: messageOf(error) };
    await updateRun(tx, run, { event: 'planning failed', why: { code: 'planning-failed', params } });
    await announce(tx, { feature: 'runs', id: runId });
  });
}
