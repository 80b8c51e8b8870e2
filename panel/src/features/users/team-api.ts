import { type InfiniteData, infiniteQueryOptions, type QueryKey } from '@tanstack/react-query';
import type { Answer } from 'contract/core/endpoint.ts';
import { listTeam, readSponsors } from 'contract/users.ts';
import { call, type Failure } from '#panel/shell/call.ts';
import { queryFor } from '#panel/shell/query.ts';

export const sponsorsQuery = (id: string) => queryFor(readSponsors, { params: { id } });

type Page = Answer<typeof listTeam>;

/** The direct referrals of one user, oldest first, loaded page by page. */
export const teamQuery = (id: string) =>
  infiniteQueryOptions<Page, Failure<typeof listTeam>, InfiniteData<Page>, QueryKey, string | undefined>({
    queryKey: ['users', listTeam.url, id],
    queryFn: ({ pageParam, signal }) => call(listTeam, { params: { id }, querystring: { cursor: pageParam } }, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
