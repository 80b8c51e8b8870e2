import type { UseQueryResult } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { LoadError } from '#panel/ui/states.tsx';
import type { Listing } from '#panel/ui/table/data-table.tsx';
import type { ChangeView, Total } from '#panel/ui/table/view.ts';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import type { Failure } from '#panel/shell/call.ts';

/** The response to a list request, without the rows. */
export type Page = { total: Total; nextCursor: string | null; previousCursor: string | null; firstRow: number };

type Deps<Answered, Row> = {
  rows: (answered: Answered) => readonly Row[];
  /** The message if the list cannot be loaded. */
  failed: string;
  change: ChangeView;
};

/** Returns what a table shows of a paged list. A failed refresh is reported in a toast, and the rows stay. */
export function useListing<Answered extends Page, Row>(
  query: UseQueryResult<Answered, Failure>,
  { rows, failed, change }: Deps<Answered, Row>,
): Listing<Row> {
  const { data, error, errorUpdatedAt, isSuccess, isPlaceholderData, isLoadingError, isFetching } = query;
  const lostPage = error?.code === 'InvalidCursor';
  const refetch = lostPage ? () => change({ cursor: undefined }) : query.refetch;
  useReportedFailure(failed, { error, errorUpdatedAt, isSuccess, refetch }, { shownInline: isLoadingError });
  // React renders a deferred value in slices, so a long list does not block input.
  const shown = useDeferredValue(data);
  return {
    rows: shown && rows(shown),
    total: shown?.total,
    pages: shown,
    stale: isPlaceholderData || (shown !== undefined && shown !== data),
    failure: isLoadingError && <LoadError title={failed} query={{ error, isFetching, refetch }} />,
  };
}
