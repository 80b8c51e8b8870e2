import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Feature } from 'contract/core/endpoint.ts';
import {
  cancelExport,
  countFailedWithdrawals,
  downloadExport,
  linkExport,
  listExports,
  type ReportExport,
  type ReportFilter,
  type ReportTab,
  reportRows,
  reportStaking,
  reportTasks,
  reportWithdrawals,
  startExport,
} from 'contract/reports.ts';
import { addressOf } from '#panel/shell/call.ts';
import { queryFor, mutationFor } from '#panel/shell/query.ts';
import { toastSuccess } from '#panel/ui/toast.ts';
import { reportFailure } from '#panel/ui/reported-failure.ts';
import { fetchAddress } from './save.ts';
import { filterOf, type ReportsSearch, tabOf } from './search.ts';

export const reportOf = {
  withdrawal: reportWithdrawals,
  staking: reportStaking,
  task: reportTasks,
} as const satisfies Record<ReportTab, unknown>;

/** The rows belong to another feature: what happens there is what changes them here. */
const sourceRooms: Record<ReportTab, Feature> = { withdrawal: 'withdrawals', staking: 'staking', task: 'tasks' };

export function reportQuery(search: ReportsSearch) {
  const tab = tabOf(search);
  const asked = queryFor(reportOf[tab], {
    querystring: { ...filterOf(search), cursor: search.cursor, limit: reportRows },
  });
  return { ...asked, queryKey: [sourceRooms[tab], ...asked.queryKey], placeholderData: keepPreviousData };
}

/** How many failed withdrawals a filter leaves out; the count before stays until the new one has come. */
export function failedQuery(filter: Omit<ReportFilter, 'status'>) {
  const asked = queryFor(countFailedWithdrawals, { querystring: filter });
  return { ...asked, queryKey: [sourceRooms.withdrawal, ...asked.queryKey], placeholderData: keepPreviousData };
}

const exportsQuery = queryFor(listExports, {});
const everyExport = { queryKey: exportsQuery.queryKey };
const lookAgainMs = 2_000;

export const isUnfinished = ({ state }: ReportExport) => state === 'waiting' || state === 'running';

/** Told by the live stream; asked for as well while one is being built, in case the stream is interrupted. */
export const useExports = () =>
  useQuery({
    ...exportsQuery,
    refetchInterval: ({ state }) => (state.data?.exports.some(isUnfinished) ? lookAgainMs : false),
  });

export function useStartExport() {
  const queryClient = useQueryClient();
  const starting = useMutation({
    ...mutationFor(startExport),
    onSuccess: () => toastSuccess('The export has started. You can leave this page meanwhile.'),
    onError: (failure, given) => {
      const retry = failure.code === 'TooManyExports' ? undefined : () => starting.mutate(given);
      reportFailure('Failed to start the export', failure, retry);
    },
    onSettled: () => queryClient.invalidateQueries(everyExport),
  });
  return starting;
}

export function useCancelExport() {
  const queryClient = useQueryClient();
  const cancelling = useMutation({
    ...mutationFor(cancelExport),
    onError: (failure) => reportFailure('Failed to cancel the export', failure),
    onSettled: () => queryClient.invalidateQueries(everyExport),
  });
  return cancelling;
}

/** The browser fetches the file by itself, from an address that works once. */
export function useDownloadExport() {
  const queryClient = useQueryClient();
  const linking = useMutation({
    ...mutationFor(linkExport),
    onSuccess: ({ key }, { params }) => fetchAddress(addressOf(downloadExport, { params, querystring: { key } })),
    onError: (failure) => reportFailure('Failed to download the export', failure),
    onSettled: () => queryClient.invalidateQueries(everyExport),
  });
  return linking;
}
