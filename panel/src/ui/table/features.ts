import {
  columnVisibilityFeature,
  createColumnHelper,
  createSortedRowModel,
  type RowData,
  rowSortingFeature,
  sortFn_datetime,
  sortFn_text,
  type TableOptions,
  tableFeatures,
} from '@tanstack/react-table';
import type { Money } from '#panel/ui/amount.tsx';

/** How a column behaves when space is short. */
export type ColumnLayout = {
  /** The minimum readable width in pixels. */
  width: number;
  /** The same with narrower padding, used if that makes all columns fit. Defaults to 12 pixels less. */
  tight?: number;
  /** Takes the remaining space; one column in each table. */
  flex?: true;
  /** Columns with a higher value are hidden first on a narrow screen; a column without one is never hidden. */
  hidePriority?: number;
  /** When the column is hidden, its content is shown as a secondary line under the flex column. */
  stackOnMobile?: true;
  /** Aligns figures and actions to the right. */
  right?: true;
  /** The amount that a row shows in this column, if any: its decimal point is aligned with those of the other rows. */
  amount?: (row: never) => Money | undefined;
};

export const features = tableFeatures({
  rowSortingFeature,
  columnVisibilityFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { text: sortFn_text, datetime: sortFn_datetime },
  columnMeta: {} as ColumnLayout,
});

export type Features = typeof features;

export type Columns<Row extends RowData> = TableOptions<Features, Row>['columns'];

/** Returns a column helper with the types of a feature's row. */
export const columnsOf = <Row extends RowData>() => createColumnHelper<Features, Row>();
