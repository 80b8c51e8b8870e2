import { CloseButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount } from './table/view.ts';
import './selection-bar.css';

type Props = {
  /** Names the bar for those who cannot see it. */
  label: string;
  count: number;
  /** What the selected rows amount to. */
  sum?: ReactNode;
  onClear: () => void;
  /** What can be done with all of them. */
  children: ReactNode;
};

/** Stays at the bottom of the screen while something is selected, however long the list is. */
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
