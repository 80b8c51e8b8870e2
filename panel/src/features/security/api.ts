import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryKey,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import type { Answer } from 'contract/core/endpoint.ts';
import {
  listOwnSessions,
  listOwnSignIns,
  listPolicyReports,
  revokeOtherSessions,
  revokeOwnSession,
} from 'contract/security.ts';
import { call, type Failure } from '#panel/shell/call.ts';
import { mutationFor, queryFor } from '#panel/shell/query.ts';
import { reportFailure } from '#panel/ui/reported-failure.ts';
import { toastSuccess } from '#panel/ui/toast.ts';

export const sessionsQuery = queryFor(listOwnSessions, {});

export const policyReportsQuery = queryFor(listPolicyReports, {});

type SignIns = Answer<typeof listOwnSignIns>;

export const signInsQuery = infiniteQueryOptions<SignIns, Failure, InfiniteData<SignIns>, QueryKey, string | undefined>(
  {
    queryKey: [listOwnSignIns.feature, listOwnSignIns.url],
    queryFn: ({ pageParam, signal }) => call(listOwnSignIns, { querystring: { before: pageParam } }, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ olderThan }) => olderThan,
  },
);

function useSessionsChanged() {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
}

export const useRevokeSession = () =>
  useMutation({
    ...mutationFor(revokeOwnSession),
    onSuccess: () => toastSuccess('Session ended'),
    onError: (failure) => reportFailure('Failed to end the session', failure),
    onSettled: useSessionsChanged(),
  });

export const useRevokeOthers = (onSuccess: () => void) =>
  useMutation({
    ...mutationFor(revokeOtherSessions),
    onSuccess: ({ ended }) => {
      toastSuccess(ended === 1 ? '1 session ended' : `${ended} sessions ended`);
      onSuccess();
    },
    onError: (failure) => reportFailure('Failed to end the sessions', failure),
    onSettled: useSessionsChanged(),
  });
