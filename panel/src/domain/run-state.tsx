import { type Reversed, type RunState as State, type ShownState, shownState } from 'contract/run-states.ts';
import { Status, type Tone } from '#panel/ui/status.tsx';

const stateTones: Record<ShownState, Tone> = {
  planning: 'moving',
  planned: 'waiting',
  waiting: 'waiting',
  running: 'moving',
  paused: 'waiting',
  failed: 'bad',
  completed: 'good',
  cancelled: 'quiet',
  refused: 'bad',
  'partly-reversed': 'partly-reversed',
  reversed: 'reversed',
};

export const stateNames: Record<ShownState, string> = {
  planning: 'Planning',
  planned: 'Planned',
  waiting: 'Waiting',
  running: 'Running',
  paused: 'Paused',
  failed: 'Failed',
  completed: 'Completed',
  cancelled: 'Canceled',
  refused: 'Refused',
  'partly-reversed': 'Partly reversed',
  reversed: 'Reversed',
};

export type RunInState = { state: State; reversed: Reversed; reverses: string | null };

/** Green means that money was paid and not reversed. A completed reversal is not a payment, so it is not green. */
export function runTone(run: RunInState): Tone {
  return run.reverses !== null && run.state === 'completed' ? 'quiet' : stateTones[shownState(run)];
}

export const runStateName = (run: RunInState) => stateNames[shownState(run)];

export function RunState({ run }: { run: RunInState }) {
  return <Status tone={runTone(run)}>{runStateName(run)}</Status>;
}

/** A state without a run, such as in a filter. */
export function StateMark({ state }: { state: ShownState }) {
  return <Status tone={stateTones[state]}>{stateNames[state]}</Status>;
}
