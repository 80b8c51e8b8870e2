import { setTimeout as wait } from 'node:timers/promises';
import { type Database, isTransient } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { announcerOf } from '../paying/announcer.ts';
import { startOnSchedule } from '../paying/start.ts';
import { hashOf } from '../store/plan-hash.ts';
import { deleteLastChunk, exportSnapshot, holdPlan, isPlanning, selectEnd, updatePlanned } from './plan-queries.ts';
import { deleteRanges, hasRanges, holdSnapshot, insertRange } from './range-queries.ts';
import { inSnapshot, keptAlive, writeNextRange } from './write.ts';
import { planOf } from '../kinds/kinds.ts';
import type { Inputs, Planning } from '../kinds/kind.ts';
import { lockRun, lookUpByKey, type RunRow, selectRun, updateRun, waitForWorkers } from '../store/run-queries.ts';
import { beforeAll, type Range, rangeOf } from '../store/ranges.ts';
import { selectDigests } from '../store/chunk-queries.ts';
import { messageOf } from '../store/error-message.ts';
import { recordInterruption } from '../store/interruption.ts';

type PlanDeps = {
  database: Database;
  /** Only for tests, which plan few lines in several chunks. The hash of a plan depends on it. */
  linesInChunk?: number;
};

/** The plans that this process makes. It helps with all others. */
export const plansHere = new Set<string>();

/**
 * Makes the plan of a run: all lines are computed from one snapshot, in one short transaction per chunk. Other workers
 * write chunks of it too. An interrupted plan is discarded and started over. An error that is not transient fails the
 * run.
 */
export async function planRun(deps: PlanDeps, runId: string, signal: AbortSignal) {
  const { database, linesInChunk } = deps;
  const run = await selectRun(database, runId);
  if (run?.state !== 'planning') return;
  plansHere.add(runId);
  try {
    await database.transaction().execute(async (holder) => {
      if (!(await holdPlan(holder, runId))) return;
      const { snapshot, at } = await exportSnapshot(holder);
      await holdSnapshot(holder, snapshot);
      const inputs = await keptAlive(holder, () => writeLines(database, { run, snapshot, signal, linesInChunk }));
      if (inputs) await finishPlan(database, run, { inputs, at });
    });
  } catch (error) {
    if (signal.aborted) throw error;
    if (isTransient(error)) {
      await recordInterruption(database, runId, error);
      throw error;
    }
    await giveUp(database, runId, error);
    throw error;
  } finally {
    plansHere.delete(runId);
  }
}

type Writing = { run: RunRow; snapshot: string; signal: AbortSignal; linesInChunk: number | undefined };

const pauseMs = 50;

/**
 * Cuts the users into ranges and writes them, together with the other workers. Returns the inputs of the plan, or
 * undefined if the run is no longer being planned.
 */
async function writeLines(database: Database, { run, signal, ...cutting }: Writing) {
  await discardPlan(database, run, signal);
  const inputs = await cutRanges(database, { run, signal, ...cutting });
  for (;;) {
    signal.throwIfAborted();
    if (await writeNextRange(database, { runId: run.id })) continue;
    if (!(await hasRanges(database, run.id))) return inputs;
    if (!(await isPlanning(database, run.id))) return undefined;
    await wait(pauseMs);
  }
}

/** Deletes what an interrupted attempt has written: its snapshot is gone. */
async function discardPlan(database: Database, run: RunRow, signal: AbortSignal) {
  await database.transaction().execute(async (tx) => {
    await deleteRanges(tx, run.id);
    await waitForWorkers(tx, run.id);
  });
  while (await database.transaction().execute((tx) => deleteLastChunk(tx, run))) signal.throwIfAborted();
}

/** Other workers write the first ranges while the last ones are cut. */
function cutRanges(database: Database, { run, snapshot, signal, linesInChunk }: Writing) {
  const plan = planOf(run);
  const progress = announcerOf(database);
  return inSnapshot(database, snapshot, async (tx) => {
    const inputs = await plan.inputsOf(tx, run);
    await lookUpByKey(tx);
    const cut = async (no: number, range: Range) => {
      const planned = { runId: run.id, no, ...range, snapshot, inputs };
      await database.transaction().execute((own) => insertRange(own, planned));
      await progress.note(run.id);
    };
    if (run.onlyUser !== null) {
      await cut(1, rangeOf(run.onlyUser));
      return inputs;
    }
    let after = beforeAll;
    for (let no = 1; ; no += 1) {
      signal.throwIfAborted();
      const to = await selectEnd(tx, plan.users(run, after, inputs), linesInChunk);
      if (to === undefined || !(await isPlanning(database, run.id))) return inputs;
      await cut(no, { after, to });
      after = to;
    }
  });
}

type Written = { inputs: Inputs; at: Date };

function finishPlan(database: Database, run: Planning, { inputs, at }: Written) {
  return database.transaction().execute(async (tx) => {
    const locked = await lockRun(tx, run.id);
    if (locked?.state !== 'planning') return;
    const planHash = hashOf({ ...locked, inputs }, await selectDigests(tx, run.id));
    await updatePlanned(tx, locked, { inputs, planHash, at });
    await announce(tx, { feature: 'runs', id: run.id });
    const planned = await selectRun(tx, run.id);
    if (planned && planned.plannedById === null) await startOnSchedule(tx, planned);
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
