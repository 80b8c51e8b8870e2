import { mutationOptions, QueryClient, queryOptions } from '@tanstack/react-query';
import type { Answer, Endpoint, Given } from 'contract/core/endpoint.ts';
import { call, Failure, wire } from './call.ts';

/** The queries of one feature share their first key; keys hold the wire form, in which every value hashes. */
export const queryFor = <const E extends Endpoint>(endpoint: E, given: Given<E>) =>
  queryOptions<Answer<E>, Failure<E>>({
    queryKey: [endpoint.feature, endpoint.url, wire(endpoint, given)],
    queryFn: ({ signal }) => call(endpoint, given, signal),
  });

export const mutationFor = <const E extends Endpoint>(endpoint: E) =>
  mutationOptions<Answer<E>, Failure<E>, Given<E>>({ mutationFn: (given) => call(endpoint, given) });

const worthAnotherTry = new Set(['Unreachable', 'Busy']);

/** A refusal stays a refusal however often it is asked for. */
const retry = (failures: number, error: Error) =>
  failures < 2 && error instanceof Failure && worthAnotherTry.has(error.code);

export const queryClient = new QueryClient({
  defaultOptions: {
    // Offline is said at once, as a Failure, instead of waiting silently.
    queries: { retry, staleTime: 10_000, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});
