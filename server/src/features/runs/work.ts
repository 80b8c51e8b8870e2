import { type PayDeps, payRuns } from './paying/pay.ts';
import { plansHere } from './planning/plan.ts';
import { helpPlan } from './planning/write.ts';

/** What a worker does in its loop: it pays all that is open, and then writes a chunk of a plan, if there is one. */
export async function processRuns(deps: PayDeps, signal: AbortSignal) {
  for (;;) {
    const rest = await payRuns(deps, signal);
    if (signal.aborted) return rest;
    const helped = await helpPlan(deps.database, [...plansHere]);
    if (helped === 'none') return rest;
    if (helped === 'failed') return 'waiting';
  }
}
