import { keepPreviousData, useMutation, useQueryClient } from '@tanstack/react-query';
import { listAuditEntries, readAuditChoices, readAuditEntry } from 'contract/audit.ts';
import { readAuditVerification, startAuditVerification } from 'contract/audit-verification.ts';
import { startExport } from 'contract/reports.ts';
import type { Answer } from 'contract/core/endpoint.ts';
import { mutationFor, queryFor } from '#panel/shell/query.ts';
import { reportFailure } from '#panel/ui/reported-failure.ts';
import { toastSuccess } from '#panel/ui/toast.ts';
import { type AuditSearch, filterOf } from './search.ts';

const pollMs = 15_000;

/**
 * One page of the list. The previous page stays on the screen while it loads. Every action of every feature adds a row
 * and no feature announces it, so the first page is polled.
 */
export const entriesQuery = (search: AuditSearch) => ({
  ...queryFor(listAuditEntries, { querystring: { cursor: search.cursor, ...filterOf(search) } }),
  placeholderData: keepPreviousData,
  refetchInterval: search.cursor === undefined ? pollMs : (false as const),
});

/** Never refetched, because a row never changes. */
export const entryQuery = (id: string) => ({
  ...queryFor(readAuditEntry, { params: { id } }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const choicesQuery = queryFor(readAuditChoices, {});

/** Live updates refetch it. It is also polled: a publisher that has stopped announces nothing. */
export const verificationQuery = {
  ...queryFor(readAuditVerification, {}),
  refetchInterval: ({ state }: { state: { data?: Answer<typeof readAuditVerification> | undefined } }) =>
    state.data?.current ? 2_000 : 30_000,
};

export function useStartVerification() {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(startAuditVerification),
    onError: (failure) => reportFailure('Failed to start the verification', failure),
    onSettled: () => queryClient.invalidateQueries({ queryKey: verificationQuery.queryKey }),
  });
}

export const useExportEntries = () =>
  useMutation({
    ...mutationFor(startExport),
    onSuccess: () => toastSuccess('The file is being built. Find it under Reports.'),
    onError: (failure) => reportFailure('Failed to start the export', failure),
  });
