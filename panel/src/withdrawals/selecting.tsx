import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox } from '@mantine/core';
import type { Withdrawal } from 'contract/withdrawals.ts';
import { useState } from 'react';
import { sayAmount } from '#panel/ui/amount.tsx';
import { Button } from '#panel/ui/button.tsx';
import { sayCount } from '#panel/ui/table/view.ts';
import { DecideModal, type Wanted } from './decide-modal.tsx';
import { useWhyNot } from './deciding.tsx';
import { canBeDecided, type Selection, type useSelection } from './selection.ts';

export function SelectRow({ withdrawal, selection }: { withdrawal: Withdrawal; selection: Selection }) {
  if (!canBeDecided(withdrawal)) return null;
  return (
    <Checkbox
      aria-label={`Select withdrawal of ${withdrawal.user}`}
      checked={selection.has(withdrawal.id)}
      onChange={() => selection.toggle(withdrawal.id)}
    />
  );
}

type BarProps = Omit<ReturnType<typeof useSelection>, 'selection'>;

/** What is chosen, what it amounts to, and what can be done with all of it. */
export function SelectionBar({ chosen, choosable, choose }: BarProps) {
  const [wanted, setWanted] = useState<Wanted>();
  const denied = useWhyNot();
  const none = chosen.length === 0 ? 'Select withdrawals first.' : undefined;
  const sum = chosen.reduce((total, { amount }) => total + amount, 0n);
  const all = choosable.length > 0 && chosen.length === choosable.length;
  return (
    <section className="withdrawal-selection" aria-label="Selected withdrawals">
      <Checkbox
        label={none ? `Select all ${sayCount(choosable.length)} on this page` : `${sayCount(chosen.length)} selected`}
        checked={all}
        indeterminate={!all && chosen.length > 0}
        disabled={choosable.length === 0}
        onChange={() => choose(all ? [] : choosable)}
      />
      {!none && <span className="withdrawal-sum">{sayAmount(sum, 'USD')}</span>}
      <div className="withdrawal-buttons">
        <Button disabledReason={denied ?? none} onClick={() => setWanted({ decision: 'approve', withdrawals: chosen })}>
          Approve
        </Button>
        <Button
          variant="default"
          disabledReason={denied ?? none}
          onClick={() => setWanted({ decision: 'reject', withdrawals: chosen })}
        >
          Reject
        </Button>
      </div>
      <DecideModal wanted={wanted} onClose={() => setWanted(undefined)} />
    </section>
  );
}
