import { anyCallRefusals } from 'contract/endpoint.ts';
import { holds } from 'contract/permissions.ts';
import { mayStep, type RunState, type Step } from 'contract/run-states.ts';
import { type RunDetail, reverseRun, startRun } from 'contract/runs.ts';
import { useMe } from '#panel/shell/me.ts';

const { RunOver } = startRun.refusals[409];
const { NothingToReverse } = reverseRun.refusals[409];

const notYet: Partial<Record<RunState, string>> = {
  planning: 'It is still being planned.',
  waiting: 'A second person is asked already.',
};

function whyNotInState(step: Step, state: RunState) {
  if (mayStep(step, state)) return undefined;
  if (step === 'reverse') return 'Only what is over can be taken back: let it end, or cancel it, first.';
  return notYet[state] ?? RunOver;
}

/** Why this administrator can do nothing with any run. */
export const useDenied = () => (holds(useMe(), 'money.prepare') ? undefined : anyCallRefusals[403].PermissionDenied);

/** Why this administrator cannot do this to this run now. */
export function useWhyNot() {
  const denied = useDenied();
  return (step: Step, { run, progress }: Pick<RunDetail, 'run' | 'progress'>) => {
    const reason = denied ?? whyNotInState(step, run.state);
    if (reason !== undefined || step !== 'reverse') return reason;
    if (run.reverses !== null) return 'A reversal is not taken back: run the job again.';
    return progress.paidChunks === 0 ? NothingToReverse : undefined;
  };
}
