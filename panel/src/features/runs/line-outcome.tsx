import { isOver } from 'contract/run-states.ts';
import { type RunLine, skipText } from 'contract/runs-lines.ts';
import type { Run } from 'contract/runs.ts';
import { Status } from '#panel/ui/status.tsx';

type Props = {
  line: Pick<RunLine, 'skip' | 'isSkippedSince' | 'paid' | 'reversed'>;
  run: Pick<Run, 'state' | 'reverses'>;
};

/** An unposted line of a finished run will never be posted, so it is not shown as planned. */
export function LineOutcome({ line: { skip, isSkippedSince, paid, reversed }, run: { state, reverses } }: Props) {
  if (skip !== null)
    return <Status tone="quiet">{isSkippedSince ? `${skipText[skip]} since the plan` : skipText[skip]}</Status>;
  if (reversed) return <Status tone="reversed">Reversed</Status>;
  if (paid) return <Status tone={reverses === null ? 'good' : 'quiet'}>Posted</Status>;
  return isOver(state) ? <Status tone="quiet">Not posted</Status> : <Status tone="waiting">Planned</Status>;
}
