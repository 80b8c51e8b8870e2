import type { Withdrawal } from 'contract/withdrawals.ts';
import { useState } from 'react';
import { formatAmount } from '#panel/ui/amount.tsx';
import { Button } from '#panel/ui/button.tsx';
import { SelectionBar } from '#panel/ui/selection-bar.tsx';
import type { Decision, Wanted } from './decide-form.tsx';
import { DecideModal } from './decide-modal.tsx';

type Props = { chosen: readonly Withdrawal[]; clear: () => void };

export const canBeDecided = ({ status, waitsUntil }: Withdrawal) => status === 'Pending' && !waitsUntil;

/** What is selected, what it amounts to, and what can be done with all of it. */
export function DecideSelected({ chosen, clear }: Props) {
  const [wanted, setWanted] = useState<Wanted>();
  const want = (decision: Decision) => () => setWanted({ decision, withdrawals: chosen });
  const sum = chosen.reduce((total, { amount }) => total + amount, 0n);
  return (
    <>
      <SelectionBar label="Selected withdrawals" count={chosen.length} sum={formatAmount(sum, 'USD')} onClear={clear}>
        <Button variant="default" onClick={want('reject')}>
          Reject
        </Button>
        <Button onClick={want('approve')}>Approve</Button>
      </SelectionBar>
      {/* Beside the bar: the outcome stays on the screen when what was selected is decided and the bar goes. */}
      <DecideModal wanted={wanted} onClose={() => setWanted(undefined)} onDecided={clear} />
    </>
  );
}
