import { keepPreviousData, type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer, Given } from 'contract/core/endpoint.ts';
import { requestLimit, type decideApproval, listApprovals, listLimits, readApproval } from 'contract/approvals.ts';
import { countApprovals } from 'contract/approvals-count.ts';
import type { Failure } from '#panel/shell/call.ts';
import { queryFor, mutationFor } from '#panel/shell/query.ts';
import { toastSuccess } from '#panel/ui/toast.ts';
import { reportFailure } from '#panel/ui/reported-failure.ts';
import { decide } from './signing.ts';
import type { ApprovalsSearch } from './search.ts';

/** One page of the list. The previous page stays on the screen while it loads. */
export const approvalsQuery = ({ cursor, state }: ApprovalsSearch) => ({
  ...queryFor(listApprovals, { querystring: { cursor, state } }),
  placeholderData: keepPreviousData,
});

export const approvalQuery = (id: string) => queryFor(readApproval, { params: { id } });

export const countQuery = queryFor(countApprovals, {});

export const limitsQuery = queryFor(listLimits, {});

export function useRequestLimit({ onRequested }: { onRequested: () => void }) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(requestLimit),
    onSuccess: (answer) => {
      queryClient.setQueryData(limitsQuery.queryKey, answer);
      toastSuccess('Sent to a second approver');
      onRequested();
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['approvals'] }),
  });
}

const touched = [
  'approvals',
  'withdrawals',
  'tasks',
  'runs',
  'ledger',
  'users',
  'jobs',
  'admins',
  'referrals',
  'staking',
];

/** Refetches every feature that a decision may have changed. */
export const refreshDecided = (queryClient: QueryClient) =>
  Promise.all(touched.map((feature) => queryClient.invalidateQueries({ queryKey: [feature] })));

export function useDecideApproval({ onDone }: { onDone: () => void }) {
  const queryClient = useQueryClient();
  return useMutation<Answer<typeof decideApproval>, Failure<typeof decideApproval>, Given<typeof decideApproval>>({
    mutationFn: decide,
    onSuccess: ({ approval }) => {
      queryClient.setQueryData(
        approvalQuery(approval.id).queryKey,
        (before) =>
          before && { ...before, approval: { ...approval, signals: [], refusal: 'ApprovalDecided' as const } },
      );
      toastSuccess(approval.state === 'approved' ? 'Approved' : 'Denied');
      onDone();
    },
    onError: (failure) => reportFailure('Failed to save the decision', failure),
    onSettled: () => refreshDecided(queryClient),
  });
}
