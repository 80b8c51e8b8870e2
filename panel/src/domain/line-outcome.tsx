import { statusOf } from 'contract/explanation.ts';
import { type RunLine, skipText } from 'contract/runs-lines.ts';
import type { Run } from 'contract/runs.ts';
import { Status } from '#panel/ui/status.tsx';

type Props = {
  line: Pick<RunLine, 'skip' | 'isSkippedSince' | 'paid' | 'reversed'>;
  run: Pick<Run, 'state' | 'reverses'>;
};

export function LineOutcome({ line, run }: Props) {
  const status = statusOf(line, run);
  switch (status.code) {
    case 'skipped':
      return (
        <Status tone="quiet">
          {status.isSincePlan ? `${skipText[status.reason]} since the plan` : skipText[status.reason]}
        </Status>
      );
    case 'reversed':
      return <Status tone="reversed">Reversed</Status>;
    case 'paid':
      return <Status tone={run.reverses === null ? 'good' : 'quiet'}>Posted</Status>;
    case 'not-posted':
      return <Status tone="quiet">Not posted</Status>;
    case 'planned':
      return <Status tone="waiting">Planned</Status>;
  }
}
