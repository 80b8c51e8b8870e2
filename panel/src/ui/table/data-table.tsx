import { type RowData, type SortingState, type Updater, useTable } from '@tanstack/react-table';
import { type ReactElement, type ReactNode, useMemo } from 'react';
import { alignColumns } from './amount-columns.ts';
import { Body } from './body.tsx';
import { useChangedRows } from './changed-rows.ts';
import { type ColumnLayout, type Columns, features } from './features.ts';
import type { Filter } from './filters.tsx';
import { columnsToHide, fitsTightly, leastWidth, tightWidth, useWidth } from './fitting.ts';
import { Footer, type Pages } from './footer.tsx';
import { HeadCell } from './head.tsx';
import type { SearchOptions } from './search-box.tsx';
import { SkeletonRows } from './skeleton-rows.tsx';
import './table.css';
import { Toolbar } from './toolbar.tsx';
import { type ChangeView, type Noun, readColumns, readSort, type TableView, type Total, writeSort } from './view.ts';

/** The rows to show, or the failure to show instead. */
export type Listing<Row> = {
  /** Undefined until they are first loaded. */
  rows: readonly Row[] | undefined;
  total: Total | undefined;
  /** Absent if the list is not split into pages. */
  pages?: Pages | undefined;
  /** True if the rows are those of the previous view, while this view is loading. */
  stale: boolean;
  /** Replaces the rows if they could not be loaded. */
  failure: ReactElement | false;
};

export type DataTableProps<Row extends RowData> = {
  /** Names the table for screen readers. */
  label: string;
  noun: Noun;
  columns: Columns<Row>;
  listing: Listing<Row>;
  rowId: (row: Row) => string;
  /** Everything in a row whose change is highlighted. */
  signature: (row: Row) => string;
  view: TableView;
  change: ChangeView;
  /** The sort order if the URL has none. */
  defaultSort?: string;
  /** The browser sorts only if it has the whole list. */
  sortedBy: 'server' | 'browser';
  open?: (row: Row) => void;
  search?: SearchOptions;
  /** An additional field that narrows the list; its value is in the URL like a filter. */
  tools?: ReactNode;
  filters?: readonly Filter[];
  /** A short table within another page, without search, filters, sorting and display options. */
  bare?: true;
  empty: ReactNode;
  /** Replaces the default footer on screens whose footer text is specified. */
  footer?: ReactNode;
};

const noRows: never[] = [];

/** The table of every list. All of its view state is in the URL. */
export function DataTable<Row extends RowData>(props: DataTableProps<Row>) {
  const { label, noun, listing, view, change, open } = props;
  const { table, layout, shown, region, overflows, alignments } = useAddressedTable(props);
  const widthOf = shown.tight ? tightWidth : (column: ColumnLayout) => column.width;
  const changed = useListingChanges(props);
  const choosable = layout.map(({ id, title, canHide }) => ({ id, title, canHide, shown: !shown.hidden.has(id) }));
  const visible = layout.filter(({ id }) => !shown.hidden.has(id));
  const isEmpty = listing.rows?.length === 0 && !listing.stale;

  return (
    <section className="table-frame" aria-label={label}>
      {!props.bare && <Toolbar {...props} columns={choosable} />}
      <div className="table-card">
        <div
          ref={region}
          className="table-region"
          {...(overflows && { 'data-overflows': '', tabIndex: 0, role: 'group', 'aria-label': `${label}, scrollable` })}
        >
          {listing.failure || (
            <table
              className="table-table"
              aria-label={label}
              aria-busy={listing.stale || !listing.rows}
              data-density={view.density ?? 'comfortable'}
              data-stale={listing.stale || undefined}
              data-tight={shown.tight || undefined}
              style={overflows ? { minWidth: leastWidth(visible) } : {}}
            >
              <colgroup>
                {visible.map((column) => (
                  <col key={column.id} style={column.layout.flex ? {} : { width: widthOf(column.layout) }} />
                ))}
              </colgroup>
              <thead>
                {table.getHeaderGroups().map((group) => (
                  <tr key={group.id}>
                    {group.headers.map((header) => (
                      <HeadCell key={header.id} header={header} />
                    ))}
                  </tr>
                ))}
              </thead>
              {listing.rows ? (
                <Body
                  rows={table.getRowModel().rows}
                  alignments={alignments}
                  folded={shown.folded}
                  changed={changed}
                  open={open}
                />
              ) : (
                <SkeletonRows columns={visible} />
              )}
            </table>
          )}
        </div>
        {isEmpty && !listing.failure && props.empty}
        {!listing.failure &&
          (props.footer ?? <Footer total={listing.total} noun={noun} pages={listing.pages} change={change} />)}
      </div>
    </section>
  );
}

function useAddressedTable<Row extends RowData>({ columns, listing, view, change, ...props }: DataTableProps<Row>) {
  const [region, width] = useWidth<HTMLDivElement>();
  const described = useMemo(() => columns.map(describeColumn), [columns]);
  const { alignments, layout } = useMemo(
    () => alignColumns(described, listing.rows ?? noRows),
    [described, listing.rows],
  );
  const shown = useMemo(() => decideColumns(layout, view.columns, width), [layout, view.columns, width]);
  const sorting = useMemo(() => readSort(view.sort ?? props.defaultSort), [view.sort, props.defaultSort]);
  const columnVisibility = useMemo(
    () => Object.fromEntries(layout.map(({ id }) => [id, !shown.hidden.has(id)])),
    [layout, shown],
  );
  const table = useTable({
    features,
    columns,
    data: listing.rows ?? noRows,
    getRowId: props.rowId,
    state: { sorting, columnVisibility },
    manualSorting: props.sortedBy === 'server',
    enableSorting: !props.bare,
    enableMultiSort: false,
    enableSortingRemoval: false,
    onSortingChange: (updater: Updater<SortingState>) => {
      const sort = writeSort(typeof updater === 'function' ? updater(sorting) : updater);
      change({ sort: sort === props.defaultSort ? undefined : sort, cursor: undefined });
    },
  });
  const visible = layout.filter(({ id }) => !shown.hidden.has(id));
  const overflows = width !== undefined && !shown.tight && leastWidth(visible) > width;
  return { table, layout, shown, region, overflows, alignments };
}

type Described = ReturnType<typeof describeColumn>;

function describeColumn<Row extends RowData>(column: Columns<Row>[number]) {
  const key = 'accessorKey' in column ? String(column.accessorKey) : '';
  const title = typeof column.header === 'string' ? column.header : key;
  return {
    id: column.id ?? (key || title),
    title,
    layout: column.meta ?? { width: 120 },
    canHide: column.enableHiding !== false,
  };
}

/** Columns that the user chose are shown at any width, and scroll; otherwise columns are hidden until they fit. */
function decideColumns(layout: readonly Described[], chosen: string | undefined, width: number | undefined) {
  const wanted = readColumns(chosen);
  if (wanted) {
    const hidden = layout.filter(({ id, canHide }) => canHide && !wanted.has(id)).map(({ id }) => id);
    return { hidden: new Set(hidden), folded: new Set<string>(), tight: false };
  }
  const tight = width !== undefined && fitsTightly(layout, width);
  const hidden = width === undefined || tight ? new Set<string>() : columnsToHide(layout, width);
  const folding = layout
    .filter(({ id, layout: { stackOnMobile } }) => stackOnMobile && hidden.has(id))
    .map(({ id }) => id);
  return { hidden, folded: new Set(folding), tight };
}

function useListingChanges<Row extends RowData>({
  listing,
  view,
  rowId,
  signature,
  filters = [],
}: DataTableProps<Row>) {
  const signatures = useMemo(
    () =>
      listing.stale ? undefined : listing.rows && new Map(listing.rows.map((row) => [rowId(row), signature(row)])),
    [listing.rows, listing.stale, rowId, signature],
  );
  const { cursor, sort, search } = view;
  return useChangedRows(JSON.stringify([cursor, sort, search, filters.map(({ value }) => value)]), signatures);
}
