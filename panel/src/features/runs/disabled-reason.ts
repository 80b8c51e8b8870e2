import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import { mayStep, refuseReversal, type RunState, type Step } from 'contract/run-states.ts';
import type { RunLine } from 'contract/runs-lines.ts';
import { type RunDetail, reverseRun, startRun } from 'contract/runs.ts';
import { useMe } from '#panel/shell/me.ts';

const { RunOver } = startRun.refusals[409];
const reversalText = reverseRun.refusals[409];

const notYet: Partial<Record<RunState, string>> = {
  planning: 'This run is still being planned.',
  waiting: 'Already waiting for a second approver.',
};

function disabledReasonInState(step: Step, state: RunState) {
  if (mayStep(step, state)) return undefined;
  if (step === 'reverse') return 'Wait for the run to finish, or cancel it, before reversing.';
  return notYet[state] ?? RunOver;
}

/** Returns why this administrator cannot change any run, or undefined. */
export const usePermissionDenied = () =>
  holds(useMe(), 'money.prepare') ? undefined : anyCallRefusals[403].PermissionDenied;

/** Returns a function that says why this administrator cannot take a step of a run now. */
export function useDisabledReason() {
  const denied = usePermissionDenied();
  return (step: Step, { run, progress, archive }: Pick<RunDetail, 'run' | 'progress' | 'archive'>) => {
    const reason = denied ?? disabledReasonInState(step, run.state);
    if (reason !== undefined || step !== 'reverse') return reason;
    if (archive !== null) return reversalText.LinesArchived;
    const { reverses, reversed } = run;
    const refused = refuseReversal({ reverses, reversed, paid: progress.paidLines > 0 });
    return refused && reversalText[refused];
  };
}

/** Returns why the payments to one user cannot be reversed. Expects all lines of the user in the run. */
export function disabledReasonForUser(lines: readonly Pick<RunLine, 'paid' | 'reversed'>[]) {
  const paid = lines.filter((line) => line.paid);
  if (paid.length === 0) return reversalText.UserNotPaid;
  return paid.every((line) => line.reversed) ? reversalText.UserAlreadyReversed : undefined;
}
