import { type InfiniteData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import type { Failure } from '#panel/shell/call.ts';
import { useChangeView } from '#panel/domain/change-view.ts';
import { Button } from '#panel/ui/button.tsx';
import { Notice } from '#panel/ui/notice.tsx';
import { EmptyState, LoadError } from '#panel/ui/states.tsx';
import { DataTable, type DataTableProps } from '#panel/ui/table/data-table.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { useMorePages } from '../more-pages.ts';

type Answered = { olderThan: string | null };

type Props<A, Row extends object> = Pick<DataTableProps<Row>, 'label' | 'noun' | 'columns'> & {
  queryKey: QueryKey;
  fetchPage: (before: string | undefined, signal: AbortSignal) => Promise<A>;
  rows: (answered: A) => readonly Row[];
  rowId: (row: Row) => string;
  /** Changes when a row changes, which is then highlighted. The default is for entries that never change. */
  signature?: (row: Row) => string;
  /** The error text when loading fails. */
  failed: string;
  empty: { title: string; line: string };
  /** What is said about entries that are not listed. */
  missing?: (answered: A) => string | undefined;
};

/** A history, newest first. Older entries load on demand. */
export function HistoryTable<A extends Answered, Row extends object>(props: Props<A, Row>) {
  const { queryKey, fetchPage, rows, signature = props.rowId, failed, empty, missing, ...table } = props;
  const query = useInfiniteQuery<A, Failure, InfiniteData<A>, QueryKey, string | undefined>({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ olderThan }) => olderThan,
  });
  useReportedFailure(failed, query, { shownInline: !query.isRefetchError });
  const showMore = useMorePages(query);
  const shown = query.data?.pages.flatMap(rows);
  const last = query.hasNextPage ? undefined : query.data?.pages.at(-1);
  const missingText = last && missing?.(last);
  return (
    <>
      <DataTable
        bare
        {...table}
        listing={{
          rows: shown,
          total: shown && { count: shown.length, capped: query.hasNextPage },
          stale: false,
          failure: query.isLoadingError && <LoadError title={failed} query={query} />,
        }}
        signature={signature}
        view={{}}
        change={useChangeView()}
        sortedBy="server"
        empty={<EmptyState {...empty} />}
      />
      {missingText !== undefined && <p className="user-missing">{missingText}</p>}
      {query.hasNextPage && (
        <div className="user-older">
          {query.isFetchNextPageError && (
            <Notice tone="bad" reference={query.error.reference}>
              The older {table.noun.many} could not be loaded. {query.error.message}
            </Notice>
          )}
          <Button variant="default" loading={query.isFetchingNextPage} onClick={showMore}>
            {query.isFetchNextPageError ? 'Try again' : 'Show older'}
          </Button>
        </div>
      )}
    </>
  );
}
