import { isOver, RunState, type RunTransition, runTransitions } from '../contract/src/run-states.ts';
import { documentOfStates } from './state-document.ts';

const eventOf = ({ event, hasPlan }: RunTransition) =>
  hasPlan === undefined ? event : `${event} (${hasPlan ? 'has a plan' : 'has no plan'})`;

/** Returns the document with the contract's current table and diagram. */
export const documentOfRuns = (text: string) =>
  documentOfStates(text, {
    transitions: runTransitions.map((row) => ({ ...row, event: eventOf(row) })),
    finals: RunState.options.filter(isOver),
  });
