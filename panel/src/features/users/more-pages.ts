import type { InfiniteData } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

type Paged = {
  data: InfiniteData<unknown, unknown> | undefined;
  hasNextPage: boolean;
  isFetching: boolean;
  isError: boolean;
  fetchNextPage: () => unknown;
};

/**
 * Returns a function that loads one more page. Retries until the page has arrived, because a live update restarts the
 * query and drops a pending page.
 */
export function useMorePages({ data, hasNextPage, isFetching, isError, fetchNextPage }: Paged) {
  const [requested, setRequested] = useState(1);
  const pages = data?.pages.length ?? 0;
  const missing = pages < requested && hasNextPage;
  useEffect(() => {
    if (missing && !isFetching && !isError) void fetchNextPage();
  }, [missing, isFetching, isError, fetchNextPage]);
  return () => {
    setRequested(pages + 1);
    if (isError) void fetchNextPage();
  };
}
