import type { ReactNode } from 'react';
import { type Alignment, AlignmentContext, decimalsIn, type Money, formatAmount, unitOf } from './amount.tsx';

/** Returns how to align these amounts in a column. `named` gives points and shares their unit names. */
export function alignmentOf(amounts: readonly Money[], { named }: { named: boolean }): Alignment {
  const ofAsset: Alignment['ofAsset'] = {};
  let unit = '';
  for (const { units, asset } of amounts) {
    ofAsset[asset] = Math.max(ofAsset[asset] ?? 0, decimalsIn(formatAmount(units, asset)));
    const own = unitOf(asset, named);
    if (own.length > unit.length) unit = own;
  }
  return { decimals: Math.max(0, ...Object.values(ofAsset)), ofAsset, unit };
}

const px = { digit: 9, mark: 4.5, unitLetter: 10, unitGap: 4 };

/** Returns the width in pixels of the longest of these amounts once they are aligned. */
export function alignedWidth(amounts: readonly Money[], { decimals, unit }: Alignment) {
  const wholes = amounts.map(({ units, asset }) => {
    const [whole = ''] = formatAmount(units, asset).split('.');
    const marks = whole.split(',').length - 1;
    return marks * px.mark + (whole.length - marks) * px.digit;
  });
  const fraction = decimals === 0 ? 0 : px.mark + decimals * px.digit;
  const behind = unit === '' ? 0 : px.unitGap + unit.length * px.unitLetter;
  return Math.ceil(Math.max(0, ...wholes) + fraction + behind);
}

type Props = { amounts: readonly Money[]; named?: boolean; children: ReactNode };

/** Aligns the amounts in its children at their decimal points; `amounts` must contain all of them. */
export function AlignedAmounts({ amounts, named = false, children }: Props) {
  return <AlignmentContext value={alignmentOf(amounts, { named })}>{children}</AlignmentContext>;
}
