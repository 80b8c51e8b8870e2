import { IconArrowRight } from '@tabler/icons-react';
import { accountNames, type Transfer } from 'contract/ledger.ts';

/** Shows the source and target account of a transfer. */
export function Way({ transfer: { from, to } }: { transfer: Pick<Transfer, 'from' | 'to'> }) {
  return (
    <span className="ledger-way">
      {accountNames[from]}
      <IconArrowRight size={14} stroke={1.75} aria-label="to" />
      {accountNames[to]}
    </span>
  );
}
