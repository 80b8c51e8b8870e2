import { Button } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import './table.css';
import { type ChangeView, type Noun, formatTotal, type Total } from './view.ts';

/** The cursors of the neighboring pages; null where there is none. */
export type Pages = { nextCursor: string | null; previousCursor: string | null };

type Props = {
  total: Total | undefined;
  noun: Noun;
  pages?: Pages | undefined;
  change: ChangeView;
};

export function Footer({ total, noun, pages, change }: Props) {
  const go = (cursor: string | null | undefined) => () => {
    if (cursor) change({ cursor });
  };
  return (
    <div className="table-footer">
      <output>{total && formatTotal(total, noun)}</output>
      {pages && (pages.nextCursor || pages.previousCursor) && (
        <nav className="table-pages" aria-label="Pages">
          <Button
            variant="default"
            size="xs"
            disabled={!pages.previousCursor}
            onClick={go(pages.previousCursor)}
            leftSection={<IconChevronLeft size={14} aria-hidden />}
          >
            Previous
          </Button>
          <Button
            variant="default"
            size="xs"
            disabled={!pages.nextCursor}
            onClick={go(pages.nextCursor)}
            rightSection={<IconChevronRight size={14} aria-hidden />}
          >
            Next
          </Button>
        </nav>
      )}
    </div>
  );
}
