import { type Database, isTransient, type Tx } from '#server/core/db/db.ts';
import { planOf } from '../kinds/kinds.ts';
import { lookUpByKey, sharingRun, type RunRow, selectRun } from '../store/run-queries.ts';
import { importSnapshot, insertChunk, keepAlive } from './plan-queries.ts';
import {
  claimRange,
  deleteRange,
  isSnapshotHeld,
  isWritten,
  type PlannedRange,
  type RangesOf,
} from './range-queries.ts';

const keepAliveMs = 3_000;

/** Keeps an idle transaction from timing out during work on other connections. */
export async function keptAlive<T>(tx: Tx, work: () => Promise<T>) {
  let pending: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    pending = keepAlive(tx).catch(() => undefined);
  }, keepAliveMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await pending;
  }
}

/** Runs the work in a transaction that reads the snapshot. Throws if the process that exported it is gone. */
export const inSnapshot = <T>(database: Database, snapshot: string, work: (tx: Tx) => Promise<T>) =>
  database
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      await importSnapshot(tx, snapshot);
      return work(tx);
    });

/**
 * Claims the next range and writes its chunk. Returns whether there was one. The claim and the chunk are separate
 * transactions, because the snapshot is older than the range: a chunk that is written twice violates its key.
 */
export function writeNextRange(database: Database, of: RangesOf) {
  return database.transaction().execute(async (claim) => {
    const range = await claimRange(claim, of);
    if (!range) return false;
    const run = await selectRun(claim, range.runId);
    if (run && !(await isWritten(claim, range))) {
      await keptAlive(claim, () => writeChunk(database, run, range)).catch(async (error: unknown) => {
        if (!(await isWritten(claim, range))) throw error;
      });
    }
    await deleteRange(claim, range);
    return true;
  });
}

function writeChunk(database: Database, run: RunRow, { no, snapshot, inputs, ...range }: PlannedRange) {
  return inSnapshot(database, snapshot, async (tx) => {
    // A plan that is started over waits for this lock and then deletes the chunk. So a chunk of an earlier attempt
    // cannot appear in it: either the earlier attempt still goes on here, or nothing is written.
    await sharingRun(tx, run.id);
    if (!(await isSnapshotHeld(tx, snapshot)))
      throw new Error(`The plan ${run.id} is no longer made from ${snapshot}.`);
    await lookUpByKey(tx);
    await insertChunk(tx, { run, plan: planOf(run), no, range, inputs });
  });
}

/**
 * Writes one range of a plan that another process makes. Returns 'failed' for an error that is not transient: that
 * process has the same error when it writes the range itself, and decides what becomes of the plan.
 */
export async function helpPlan(database: Database, notOf: readonly string[]) {
  try {
    return (await writeNextRange(database, { notOf })) ? 'written' : 'none';
  } catch (error) {
    if (isTransient(error)) throw error;
    return 'failed';
  }
}
