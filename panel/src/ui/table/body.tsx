import { FlexRender, type Row as TableRow, type RowData } from '@tanstack/react-table';
import { type MouseEvent, useRef } from 'react';
import { AlignmentContext, unaligned } from '#panel/ui/amount.tsx';
import type { Alignments } from './amount-columns.ts';
import type { Features } from './features.ts';
import { useRowKeys } from './row-keys.ts';
import './table.css';

type Opening<Row> = ((row: Row) => void) | undefined;

type Props<Row extends RowData> = {
  rows: readonly TableRow<Features, Row>[];
  /** How the amounts of each column are aligned, by column id. */
  alignments: Alignments;
  /** The hidden columns whose content is shown under the flex column. */
  folded: ReadonlySet<string>;
  changed: ReadonlySet<string>;
  open: Opening<Row>;
};

export function Body<Row extends RowData>({ rows, alignments, folded, changed, open }: Props<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const openAt = (index: number) => {
    const row = rows[index];
    if (row) open?.(row.original);
  };
  const { active, setActive } = useRowKeys(body, openAt);
  const reachable = Math.min(active, rows.length - 1);
  return (
    <tbody ref={body}>
      {rows.map((row, index) => (
        <tr
          key={row.id}
          data-row={row.id}
          data-changed={changed.has(row.id) || undefined}
          data-opens={open ? '' : undefined}
          className="table-row"
          tabIndex={index === reachable ? 0 : -1}
          onFocus={() => setActive(index)}
          onClick={(event) => isOnRow(event) && open?.(row.original)}
        >
          <Cells row={row} alignments={alignments} folded={folded} />
        </tr>
      ))}
    </tbody>
  );
}

type CellsProps<Row extends RowData> = Pick<Props<Row>, 'alignments' | 'folded'> & { row: TableRow<Features, Row> };

function Cells<Row extends RowData>({ row, alignments, folded }: CellsProps<Row>) {
  return row.getVisibleCells().map((cell) => {
    const { meta } = cell.column.columnDef;
    return (
      <td key={cell.id} className="table-cell" data-right={meta?.right ? '' : undefined}>
        <AlignmentContext value={alignments.get(cell.column.id) ?? unaligned}>
          <FlexRender cell={cell} />
        </AlignmentContext>
        {meta?.flex && folded.size > 0 && (
          <div className="table-folded">
            {row.getAllCells().map(
              (other) =>
                folded.has(other.column.id) && (
                  <span key={other.id} className="table-folded-part">
                    <FlexRender cell={other} />
                  </span>
                ),
            )}
          </div>
        )}
      </td>
    );
  });
}

/** A click on a link or button in the row, or one that ends a text selection, is not a click on the row. */
function isOnRow({ target, currentTarget }: MouseEvent) {
  if (!(target instanceof Element) || !currentTarget.contains(target)) return false;
  return target.closest('a, button, input, select, label') === null && window.getSelection()?.isCollapsed !== false;
}
