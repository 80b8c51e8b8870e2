import type { RowData } from '@tanstack/react-table';
import { alignedWidth, alignmentOf } from '#panel/ui/aligned-amounts.tsx';
import type { Alignment, Money } from '#panel/ui/amount.tsx';
import type { ColumnLayout } from './features.ts';

type Described = { id: string; layout: ColumnLayout };

export type Alignments = ReadonlyMap<string, Alignment>;

const cellPaddingPx = 2 * 16;

/** Aligns the amounts of each column, and widens a column whose amounts would be cut off. */
export function alignColumns<Column extends Described>(columns: readonly Column[], rows: readonly RowData[]) {
  const alignments = new Map<string, Alignment>();
  const layout = columns.map((column) => {
    const read = column.layout.amount as ((row: RowData) => Money | undefined) | undefined;
    if (!read) return column;
    const amounts = rows.map(read).filter((money) => money !== undefined);
    const alignment = alignmentOf(amounts, { named: true });
    alignments.set(column.id, alignment);
    const width = Math.max(column.layout.width, alignedWidth(amounts, alignment) + cellPaddingPx);
    return { ...column, layout: { ...column.layout, width } };
  });
  return { alignments, layout };
}
