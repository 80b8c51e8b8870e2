import type { Withdrawal } from 'contract/withdrawals.ts';
import { useState } from 'react';
import { formatAmount } from '#panel/ui/amount.tsx';
import { Button } from '#panel/ui/button.tsx';
import { SelectionBar } from '#panel/ui/selection-bar.tsx';
import type { Decision, DecisionRequest } from './decide-form.tsx';
import { DecideModal } from './decide-modal.tsx';

type Props = { chosen: readonly Withdrawal[]; clear: () => void };

export const canBeDecided = ({ state, waitsUntil }: Withdrawal) => state === 'requested' && !waitsUntil;

/** The number and total of the selected withdrawals, and the buttons that decide them. */
export function DecideSelected({ chosen, clear }: Props) {
  const [request, setRequest] = useState<DecisionRequest>();
  const requestDecision = (decision: Decision) => () => setRequest({ decision, withdrawals: chosen });
  const sum = chosen.reduce((total, { amount }) => total + amount, 0n);
  return (
    <>
      <SelectionBar label="Selected withdrawals" count={chosen.length} sum={formatAmount(sum, 'USD')} onClear={clear}>
        <Button variant="default" onClick={requestDecision('reject')}>
          Reject
        </Button>
        <Button onClick={requestDecision('approve')}>Approve</Button>
      </SelectionBar>
      {/* Outside the bar: the outcome stays visible when the decision clears the selection and hides the bar. */}
      <DecideModal request={request} onClose={() => setRequest(undefined)} onDecided={clear} />
    </>
  );
}
