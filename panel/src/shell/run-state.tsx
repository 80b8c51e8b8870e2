import type { RunState as Value } from 'contract/run-states.ts';
import { Status, type Tone } from '#panel/ui/status.tsx';

export const stateTones: Record<Value, Tone> = {
  planning: 'moving',
  planned: 'waiting',
  waiting: 'waiting',
  running: 'moving',
  paused: 'waiting',
  failed: 'bad',
  completed: 'good',
  cancelled: 'quiet',
  refused: 'bad',
};

export const stateNames: Record<Value, string> = {
  planning: 'Planning',
  planned: 'Planned',
  waiting: 'Waiting',
  running: 'Running',
  paused: 'Paused',
  failed: 'Failed',
  completed: 'Completed',
  cancelled: 'Cancelled',
  refused: 'Refused',
};

export function RunState({ status }: { status: Value }) {
  return <Status tone={stateTones[status]}>{stateNames[status]}</Status>;
}
