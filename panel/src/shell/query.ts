import { mutationOptions, QueryClient, queryOptions } from '@tanstack/react-query';
import type { Answer, Endpoint, Given } from 'contract/core/endpoint.ts';
import { call, Failure, wire } from './call.ts';

/** Queries of one feature share the first part of their key. Keys use the wire format, because it can be hashed. */
export const queryFor = <const E extends Endpoint>(endpoint: E, given: Given<E>) =>
  queryOptions<Answer<E>, Failure<E>>({
    queryKey: [endpoint.feature, endpoint.url, wire(endpoint, given)],
    queryFn: ({ signal }) => call(endpoint, given, signal),
  });

export const mutationFor = <const E extends Endpoint>(endpoint: E) =>
  mutationOptions<Answer<E>, Failure<E>, Given<E>>({ mutationFn: (given) => call(endpoint, given) });

const retryable = new Set(['Unreachable', 'Busy']);

/** Retries only temporary failures: repeating a refused request changes nothing. */
const retry = (failures: number, error: Error) => failures < 2 && error instanceof Failure && retryable.has(error.code);

export const queryClient = new QueryClient({
  defaultOptions: {
    // Offline, calls fail immediately with a Failure instead of waiting silently.
    queries: { retry, staleTime: 10_000, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});
