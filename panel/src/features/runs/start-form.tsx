import type { RunDetail } from 'contract/runs.ts';
import { useState } from 'react';
import { formatAloneLimit } from '#panel/domain/alone-limit-text.ts';
import { formatPeriod } from '#panel/domain/run-text.ts';
import { Button } from '#panel/ui/button.tsx';
import { ModalActions } from '#panel/ui/modal.tsx';
import { formatTotal } from '#panel/ui/table/view.ts';
import { plannedUnits } from '#panel/domain/run-outcome.tsx';
import { aloneLimitOf, runNeedsApproval, formatUnits, formatAmountText } from './amounts.ts';
import { useStart } from './api.ts';

type Props = { detail: RunDetail; onDone: () => void };

const payments = { one: 'payment', many: 'payments' };

const canBeReversed = 'You can reverse this run later. Users who have already spent the money will owe it.';
const cannotBeReversed = 'A reversal cannot be reversed. To pay these users again, plan the period again.';

/** Starts exactly the plan that was shown. The server refuses a plan that has changed since. */
export function StartForm({ detail: { run: shown, alone }, onDone }: Props) {
  const [run] = useState(shown);
  const starting = useStart({ onDone });
  const lines = formatTotal({ count: run.lines - run.skipped, capped: false }, payments);
  const amount = formatUnits(plannedUnits(run), run.asset);
  const above = runNeedsApproval({ run, alone });
  const start = () => {
    if (!starting.isPending) starting.mutate({ params: { id: run.id }, body: { planHash: run.planHash ?? '' } });
  };
  return (
    <>
      <p className="run-question">
        {run.reverses === null ? `Pay ${amount} in ${lines}` : `Reverse ${amount} in ${lines}`} for {formatPeriod(run)}?
      </p>
      <ul className="run-consequences">
        {/[1-9]/.test(run.setsAside) && (
          <li>
            {run.reverses === null
              ? `${formatAmountText(run.setsAside, run.asset)} is set aside for loyalty.`
              : `${formatAmountText(run.setsAside, run.asset)} that was set aside for loyalty goes back to the treasury.`}
          </li>
        )}
        {/[1-9]/.test(run.returned) && (
          <li>
            {run.reverses === null
              ? `${formatAmountText(run.returned, run.asset)} in stakes that end goes back to their owners.`
              : `${formatAmountText(run.returned, run.asset)} in stakes that had ended is locked again.`}
          </li>
        )}
        {run.skipped > 0 && (
          <li>{formatTotal({ count: run.skipped, capped: false }, payments)} skipped, as listed in the plan.</li>
        )}
        <li>
          {above
            ? `${formatAloneLimit(aloneLimitOf({ run, alone }), run.asset)} A second approver must approve this before any money moves.`
            : 'It starts immediately.'}
        </li>
        <li>{run.reverses === null ? canBeReversed : cannotBeReversed}</li>
      </ul>
      <ModalActions waiting={starting.isPending}>
        <Button loading={starting.isPending} onClick={start}>
          {above ? 'Request approval' : 'Run'}
        </Button>
      </ModalActions>
    </>
  );
}
