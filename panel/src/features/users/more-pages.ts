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
 * Asks for one page more, until it is there: a change elsewhere starts the fetching anew and drops the page that was on
 * its way.
 */
export function useMorePages({ data, hasNextPage, isFetching, isError, fetchNextPage }: Paged) {
  const [wanted, setWanted] = useState(1);
  const pages = data?.pages.length ?? 0;
  const missing = pages < wanted && hasNextPage;
  useEffect(() => {
    if (missing && !isFetching && !isError) void fetchNextPage();
  }, [missing, isFetching, isError, fetchNextPage]);
  return () => {
    setWanted(pages + 1);
    if (isError) void fetchNextPage();
  };
}
