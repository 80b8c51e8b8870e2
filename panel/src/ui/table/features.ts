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
  /** The least width in pixels at which the column can be read. */
  width: number;
  /** The same with narrower padding, where that is what makes all columns fit; 12 pixels less unless said. */
  tight?: number;
  /** Takes the space that the others leave; one column in each table. */
  flex?: true;
  /** The higher, the sooner it gives way on a narrow screen; a column without stays. */
  hidePriority?: number;
  /** Once it has given way, its content stands as a quiet line under the growing column. */
  stackOnMobile?: true;
  /** Figures and actions stand right. */
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

/** Writes a feature's columns with the types of its row. */
export const columnsOf = <Row extends RowData>() => createColumnHelper<Features, Row>();
