import { mayStep, type Step } from 'contract/run-states.ts';
import type { Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import { lockRun, selectRun } from './run-queries.ts';

/**
 * Locks a run for a step of an administrator. Refuses if its state does not allow the step. Does not wait for chunks
 * that are being paid: the step takes effect after them.
 */
export async function lockedRun(tx: Tx, id: string, step: Step) {
  const run = await lockRun(tx, id);
  if (!run) throw new Refusal('RunNotFound');
  if (!mayStep(step, run.state)) throw new Refusal(run.endedAt ? 'RunOver' : 'RunChanged');
  return run;
}

/** Announces a change of a run and returns the changed run. */
export async function changed(tx: Tx, id: string) {
  await announce(tx, { feature: 'runs', id });
  const run = await selectRun(tx, id);
  if (!run) throw new Error(`The run ${id} is gone from the transaction that changed it.`);
  return run;
}
