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

/** The feature that owns the rows of each report. Its live updates also refetch the report. */
const sourceFeatures: Record<ReportTab, Feature> = { withdrawal: 'withdrawals', staking: 'staking', task: 'tasks' };

export function reportQuery(search: ReportsSearch) {
  const tab = tabOf(search);
  const query = queryFor(reportOf[tab], {
    querystring: { ...filterOf(search), cursor: search.cursor, limit: reportRows },
  });
  return { ...query, queryKey: [sourceFeatures[tab], ...query.queryKey], placeholderData: keepPreviousData };
}

/** The number of failed withdrawals that the report omits. The previous count stays while the next one loads. */
export function failedQuery(filter: Omit<ReportFilter, 'status'>) {
  const query = queryFor(countFailedWithdrawals, { querystring: filter });
  return { ...query, queryKey: [sourceFeatures.withdrawal, ...query.queryKey], placeholderData: keepPreviousData };
}

const exportsQuery = queryFor(listExports, {});
const everyExport = { queryKey: exportsQuery.queryKey };
const pollMs = 2_000;

export const isUnfinished = ({ state }: ReportExport) => state === 'waiting' || state === 'running';

/** Live updates refetch the list. It also polls while an export is being built, in case the stream is interrupted. */
export const useExports = () =>
  useQuery({
    ...exportsQuery,
    refetchInterval: ({ state }) => (state.data?.exports.some(isUnfinished) ? pollMs : false),
  });

export function useStartExport() {
  const queryClient = useQueryClient();
  const starting = useMutation({
    ...mutationFor(startExport),
    onSuccess: () => toastSuccess('The export has started. You can leave this page.'),
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

/** Lets the browser download the file from a single-use URL. */
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
