import { Button } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { type ChangeView, formatCount, formatFigure, type Total } from '#panel/ui/table/view.ts';

type Page = {
  rows: readonly unknown[];
  firstRow: number;
  total: Total;
  nextCursor: string | null;
  previousCursor: string | null;
};

/** The footer of a report: the range of rows, the total, and the previous and next page. */
export function Places({ page, change }: { page: Page; change: ChangeView }) {
  const { nextCursor, previousCursor } = page;
  const go = (cursor: string | null) => () => {
    if (cursor) change({ cursor });
  };
  return (
    <div className="table-footer">
      <output>{formatPlaces(page)}</output>
      <nav className="table-pages" aria-label="Pages">
        <Button
          variant="default"
          size="xs"
          disabled={!previousCursor}
          onClick={go(previousCursor)}
          leftSection={<IconChevronLeft size={14} aria-hidden />}
        >
          Prev
        </Button>
        <Button
          variant="default"
          size="xs"
          disabled={!nextCursor}
          onClick={go(nextCursor)}
          rightSection={<IconChevronRight size={14} aria-hidden />}
        >
          Next
        </Button>
      </nav>
    </div>
  );
}

function formatPlaces({ rows, firstRow, total }: Page) {
  const from = rows.length === 0 ? 0 : firstRow;
  const to = rows.length === 0 ? 0 : firstRow + rows.length - 1;
  return `Showing ${formatCount(from)} to ${formatCount(to)} of ${formatFigure(total)} entries`;
}
