import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryKey,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import type { Answer } from 'contract/core/endpoint.ts';
import {
  requestRepair,
  checkTree,
  type FindingKind,
  listCorrections,
  listFindings,
  readTree,
  type TreeReport,
} from 'contract/referrals.ts';
import { call, type Failure } from '#panel/shell/call.ts';
import { queryFor, mutationFor } from '#panel/shell/query.ts';
import { toastSuccess } from '#panel/ui/toast.ts';
import { reportFailure } from '#panel/ui/reported-failure.ts';

export const treeQuery = queryFor(readTree, {});

// The lists of a report never change, so they are outside the feature's key, which each step of a check invalidates.
const listed = (kind: string, id: string) => ['lists of a report on the tree', kind, id];

type Findings = Answer<typeof listFindings>;
type Corrections = Answer<typeof listCorrections>;

export const findingsQuery = (id: string, kind: FindingKind) =>
  infiniteQueryOptions<Findings, Failure<typeof listFindings>, InfiniteData<Findings>, QueryKey, number | undefined>({
    queryKey: listed(kind, id),
    queryFn: ({ pageParam, signal }) =>
      call(listFindings, { params: { id }, querystring: { kind, after: pageParam } }, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ next }) => next,
  });

export const correctionsQuery = (id: string) =>
  infiniteQueryOptions<
    Corrections,
    Failure<typeof listCorrections>,
    InfiniteData<Corrections>,
    QueryKey,
    string | undefined
  >({
    queryKey: listed('counters', id),
    queryFn: ({ pageParam, signal }) =>
      call(listCorrections, { params: { id }, querystring: { after: pageParam } }, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ next }) => next,
  });

export function useChecking() {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(checkTree),
    onError: (failure) => reportFailure('Failed to check the tree', failure),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['referrals'] }),
  });
}

export function useRequestRepair({ onDone }: { onDone: () => void }) {
  const queryClient = useQueryClient();
  const requesting = useMutation({
    ...mutationFor(requestRepair),
    onSuccess: () => toastSuccess('Sent to a second approver'),
    onError: (failure) => reportFailure('Failed to request the repair', failure),
    onSettled: async () => {
      onDone();
      const touched = ['referrals', 'approvals'];
      await Promise.all(touched.map((feature) => queryClient.invalidateQueries({ queryKey: [feature] })));
    },
  });
  const request = ({ id, digest }: TreeReport) => {
    if (!requesting.isPending) requesting.mutate({ params: { id }, body: { digest: digest ?? '' } });
  };
  return { requestRepair: request, isPending: requesting.isPending };
}
