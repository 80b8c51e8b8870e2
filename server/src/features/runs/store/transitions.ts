import { isOver, RunState, type RunEvent, type RunTransition, runTransitions } from 'contract/run-states.ts';

type StoredState = Exclude<RunState, 'waiting'>;

/** The state in the table `run`, which does not reflect approval requests. */
export const storedState = (state: RunState): StoredState => (state === 'waiting' ? 'planned' : state);

const storedStates = [...new Set(RunState.options.map(storedState))];
export const liveStates = storedStates.filter((state) => !isOver(state));

type Before = { state: RunState; planHash: string | null };

/**
 * Returns the state that an event leads to, and whether that starts or ends the run. `before` is null for a new run.
 * Throws if the table has no such transition: callers lock the run and check its state first.
 */
export function transitionOf(before: Before | null, event: RunEvent) {
  const found = runTransitions.find((row) => row.event === event && isFrom(before, row));
  if (!found) throw new Error(`A run that is ${before?.state ?? 'not created'} has no transition "${event}".`);
  return { to: storedState(found.to), starts: startsRun(found), ends: isOver(found.to) };
}

function isFrom(before: Before | null, { from, hasPlan }: RunTransition) {
  if (before === null || from === null) return before === from;
  // A run that is being approved reads as 'planned' already, because its request is no longer open.
  if (storedState(from) !== storedState(before.state)) return false;
  return hasPlan === undefined || hasPlan === (before.planHash !== null);
}

/** Resuming and retrying lead to 'running' as well, for a run that was started before. */
const startsRun = ({ from, to }: RunTransition) => to === 'running' && from !== null && storedState(from) === 'planned';

export const canStart = (state: RunState) => runTransitions.some((row) => row.from === state && startsRun(row));
