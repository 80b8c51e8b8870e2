import type { ReactNode } from 'react';
import { type Alignment, AlignmentContext, decimalsIn, type Money, formatAmount, unitOf } from './amount.tsx';

/** How these amounts are written under each other. `named` says that points and shares have their names. */
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

/** The space in pixels that the longest of these amounts takes up once they are aligned. */
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

/** Aligns the amounts in it at their decimal points; `amounts` are all of them. */
export function AlignedAmounts({ amounts, named = false, children }: Props) {
  return <AlignmentContext value={alignmentOf(amounts, { named })}>{children}</AlignmentContext>;
}
