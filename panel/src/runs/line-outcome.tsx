import { mayStep, type RunState } from 'contract/run-states.ts';
import { type RunLine, skipWords } from 'contract/runs.ts';
import { Status } from '#panel/ui/status.tsx';

type Props = { line: Pick<RunLine, 'skip' | 'paid'>; state: RunState };

/** What a run that is over has not posted never will be. */
export function LineOutcome({ line: { skip, paid }, state }: Props) {
  if (skip !== null) return <Status tone="quiet">{skipWords[skip]}</Status>;
  if (paid) return <Status tone="good">Posted</Status>;
  return mayStep('cancel', state) ? <Status tone="waiting">Planned</Status> : <Status tone="quiet">Not posted</Status>;
}
