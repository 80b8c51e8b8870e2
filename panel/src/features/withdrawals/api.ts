import { keepPreviousData, useMutation, useQueryClient } from '@tanstack/react-query';
import { readMaintenance } from 'contract/maintenance.ts';
import {
  approveWithdrawal,
  decideWithdrawals,
  listWithdrawals,
  readDailyLimit,
  readWithdrawal,
  readWithdrawalSwitch,
  rejectWithdrawal,
  setWithdrawalSwitch,
  type Withdrawal,
} from 'contract/withdrawals.ts';
import type { OpenState } from 'contract/withdrawal-states.ts';
import { readWithdrawalFigures } from 'contract/withdrawals-figures.ts';
import {
  closeDifference,
  listDifferences,
  listReconciliations,
  reconcileWithdrawals,
} from 'contract/withdrawals-reconciliation.ts';
import {
  readSettlement,
  readWithdrawalSettings,
  requestWithdrawalSettings,
  settleWithdrawal,
} from 'contract/withdrawals-settlement.ts';
import { changeRequested } from '#panel/domain/waiting-change.tsx';
import { queryFor, mutationFor } from '#panel/shell/query.ts';
import { toastSuccess } from '#panel/ui/toast.ts';
import { reportFailure } from '#panel/ui/reported-failure.ts';
import type { WithdrawalsSearch } from './search.ts';

/** One page of the list. The previous page stays on the screen while it loads. */
export const withdrawalsQuery = ({ cursor, sort, status, approval, search }: WithdrawalsSearch) => ({
  ...queryFor(listWithdrawals, { querystring: { cursor, sort, status, approval, search } }),
  placeholderData: keepPreviousData,
});

/** One page of the approved withdrawals that wait for their outcome in a state. */
export const openQuery = (open: OpenState, { cursor, sort, search }: WithdrawalsSearch) => ({
  ...queryFor(listWithdrawals, { querystring: { open, cursor, sort: sort ?? 'date', search } }),
  placeholderData: keepPreviousData,
});

export const settlementQuery = queryFor(readSettlement, {});

export const settingsQuery = queryFor(readWithdrawalSettings, {});

export const withdrawalQuery = (id: string) => queryFor(readWithdrawal, { params: { id } });

export const figuresQuery = queryFor(readWithdrawalFigures, {});

/** Never cached: every dialog reads it again, because the used amount changes. */
export const dailyLimitQuery = { ...queryFor(readDailyLimit, {}), staleTime: 0, gcTime: 0 };

export const switchQuery = queryFor(readWithdrawalSwitch, {});

export const maintenanceQuery = queryFor(readMaintenance, {});

export function useSetSwitch() {
  const queryClient = useQueryClient();
  const setting = useMutation({
    ...mutationFor(setWithdrawalSwitch),
    onSuccess: (answer) => {
      queryClient.setQueryData(switchQuery.queryKey, answer);
      toastSuccess(answer.switch.enabled ? 'Withdrawals enabled' : 'Withdrawals disabled');
    },
    onError: (failure, given) =>
      reportFailure('Failed to change the withdrawal setting', failure, () => setting.mutate(given)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['withdrawals'] }),
  });
  return {
    pending: setting.isPending ? setting.variables.body.enabled : undefined,
    set: (enabled: boolean) => setting.mutate({ body: { enabled } }),
  };
}

type Deciding = { onDone: () => void };

function useDecided({ onDone }: Deciding) {
  const queryClient = useQueryClient();
  return {
    onDecided: ({ withdrawal }: { withdrawal: Withdrawal }, text: string) => {
      queryClient.setQueryData(withdrawalQuery(withdrawal.id).queryKey, { withdrawal });
      toastSuccess(text);
      onDone();
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['withdrawals'] }),
  };
}

export function useApprove(deciding: Deciding) {
  const { onDecided, onSettled } = useDecided(deciding);
  return useMutation({
    ...mutationFor(approveWithdrawal),
    onSuccess: (answer) =>
      onDecided(answer, answer.withdrawal.waitsUntil ? 'Sent to a second approver' : 'Withdrawal approved'),
    onError: (failure) => reportFailure('Failed to approve the withdrawal', failure),
    onSettled,
  });
}

export function useReject(deciding: Deciding) {
  const { onDecided, onSettled } = useDecided(deciding);
  return useMutation({
    ...mutationFor(rejectWithdrawal),
    onSuccess: (answer) => onDecided(answer, 'Withdrawal rejected'),
    onError: (failure) => reportFailure('Failed to reject the withdrawal', failure),
    onSettled,
  });
}

export function useDecideMany({ onDone }: Deciding) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(decideWithdrawals),
    onSuccess: onDone,
    onError: (failure) => reportFailure('Failed to save the decisions', failure),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['withdrawals'] }),
  });
}

const recorded: Record<Withdrawal['state'], string> = {
  requested: 'Saved',
  approved: 'Sent to a second approver',
  sent: 'Recorded as sent',
  unknown: 'Marked as unknown',
  confirmed: 'Withdrawal completed',
  failed: 'Recorded as failed',
  rejected: 'Saved',
};

export function useSettle(deciding: Deciding) {
  const { onDecided, onSettled } = useDecided(deciding);
  return useMutation({
    ...mutationFor(settleWithdrawal),
    onSuccess: (answer) => {
      const { waitsUntil, state } = answer.withdrawal;
      onDecided(answer, waitsUntil ? 'Sent to a second approver' : recorded[state]);
    },
    onError: (failure) => reportFailure('Failed to record the outcome', failure),
    onSettled,
  });
}

export function useRequestSettings({ onRequested }: { onRequested: () => void }) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(requestWithdrawalSettings),
    onSuccess: (answer) => {
      queryClient.setQueryData(settingsQuery.queryKey, answer);
      toastSuccess(changeRequested);
      onRequested();
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['withdrawals'] }),
  });
}

export const differencesQuery = ({ cursor }: WithdrawalsSearch) => ({
  ...queryFor(listDifferences, { querystring: { only: 'open' as const, cursor } }),
  placeholderData: keepPreviousData,
});

export const reconciliationsQuery = queryFor(listReconciliations, { querystring: { limit: 5 } });

/** The form shows a failure itself. */
export function useReconcile({ onDone }: Deciding) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(reconcileWithdrawals),
    onSuccess: onDone,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['withdrawals'] }),
  });
}

export function useCloseDifference({ onDone }: Deciding) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(closeDifference),
    onSuccess: () => {
      toastSuccess('Difference closed');
      onDone();
    },
    onError: (failure) => reportFailure('Failed to close the difference', failure),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['withdrawals'] }),
  });
}
