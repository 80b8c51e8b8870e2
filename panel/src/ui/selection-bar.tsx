import { CloseButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount } from './table/view.ts';
import './selection-bar.css';

type Props = {
  /** Names the bar for screen readers. */
  label: string;
  count: number;
  /** The total amount of the selected rows. */
  sum?: ReactNode;
  onClear: () => void;
  /** The actions for the selected rows. */
  children: ReactNode;
};

/** Sticks to the bottom of the screen while rows are selected, however long the list is. */
export function SelectionBar({ label, count, sum, onClear, children }: Props) {
  if (count === 0) return null;
  return (
    <section className="selection-bar" aria-label={label}>
      <CloseButton aria-label="Clear selection" onClick={onClear} />
      <span>{formatCount(count)} selected</span>
      {sum !== undefined && <span className="selection-sum">{sum}</span>}
      <div className="selection-actions">{children}</div>
    </section>
  );
}
