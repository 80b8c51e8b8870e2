import type { Header, RowData } from '@tanstack/react-table';
import { FlexRender } from '@tanstack/react-table';
import { IconArrowDown, IconArrowUp, IconArrowsSort } from '@tabler/icons-react';
import type { Features } from './features.ts';
import './table.css';

const spoken = { asc: 'ascending', desc: 'descending' } as const;

type Props<Row extends RowData> = { header: Header<Features, Row, unknown> };

export function HeadCell<Row extends RowData>({ header }: Props<Row>) {
  const { column } = header;
  const { meta } = column.columnDef;
  const sorted = column.getIsSorted();
  const right = meta?.right ? '' : undefined;
  if (!column.getCanSort()) {
    return (
      <th scope="col" className="table-head" data-right={right}>
        <FlexRender header={header} />
      </th>
    );
  }
  return (
    <th scope="col" className="table-head" data-right={right} aria-sort={sorted ? spoken[sorted] : 'none'}>
      <button
        type="button"
        className="table-sort"
        data-sorted={sorted || undefined}
        onClick={() => column.toggleSorting()}
      >
        <FlexRender header={header} />
        <SortMark sorted={sorted} />
      </button>
    </th>
  );
}

function SortMark({ sorted }: { sorted: false | 'asc' | 'desc' }) {
  const Icon = sorted === 'asc' ? IconArrowUp : sorted === 'desc' ? IconArrowDown : IconArrowsSort;
  return <Icon className="table-sort-mark" size={14} stroke={2} aria-hidden />;
}
