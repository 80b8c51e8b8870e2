import { keepPreviousData, useMutation, useQueryClient } from '@tanstack/react-query';
import { readMaintenance } from 'contract/maintenance.ts';
import {
  listWithdrawals,
  readWithdrawal,
  readWithdrawalFigures,
  readWithdrawalSwitch,
  setWithdrawalSwitch,
} from 'contract/withdrawals.ts';
import { asking, doing } from '#panel/shell/query.ts';
import { toastSuccess } from '#panel/ui/toast.ts';
import { tellFailure } from '#panel/ui/told-failure.ts';
import type { WithdrawalsSearch } from './search.ts';

/** One page; the page before stays on the screen until it has come. */
export const withdrawalsQuery = ({ cursor, sort, status, search }: WithdrawalsSearch) => ({
  ...asking(listWithdrawals, { querystring: { cursor, sort, status, search } }),
  placeholderData: keepPreviousData,
});

export const withdrawalQuery = (id: string) => asking(readWithdrawal, { params: { id } });

export const figuresQuery = asking(readWithdrawalFigures, {});

export const switchQuery = asking(readWithdrawalSwitch, {});

export const maintenanceQuery = asking(readMaintenance, {});

export function useSetSwitch() {
  const queryClient = useQueryClient();
  const setting = useMutation({
    ...doing(setWithdrawalSwitch),
    onSuccess: (answer) => {
      queryClient.setQueryData(switchQuery.queryKey, answer);
      toastSuccess(answer.switch.enabled ? 'Withdrawals enabled' : 'Withdrawals disabled');
    },
    onError: (failure, given) =>
      tellFailure('Failed to change the withdrawal setting', failure, () => setting.mutate(given)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['withdrawals'] }),
  });
  return {
    pending: setting.isPending ? setting.variables.body.enabled : undefined,
    set: (enabled: boolean) => setting.mutate({ body: { enabled } }),
  };
}
