import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer, Given } from 'contract/core/endpoint.ts';
import { confirmApp, readFactors, removeApp, renewRecoveryCodes, startApp } from 'contract/security-factors.ts';
import { call, type Failure } from '#panel/shell/call.ts';
import { mutationFor, queryFor } from '#panel/shell/query.ts';
import { changeToken } from '#panel/shell/session-store.ts';
import { reportFailure } from '#panel/ui/reported-failure.ts';
import { toastSuccess } from '#panel/ui/toast.ts';

export const factorsQuery = queryFor(readFactors, {});

function useRefetched() {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: ['security'] });
}

export const useStartApp = (onSuccess: () => void) =>
  useMutation({
    ...mutationFor(startApp),
    onSuccess,
    onError: (failure) => reportFailure('Failed to set up the authenticator app', failure),
  });

export const useConfirmApp = (onSuccess: (answer: Answer<typeof confirmApp>) => void) =>
  useMutation<Answer<typeof confirmApp>, Failure<typeof confirmApp>, Given<typeof confirmApp>>({
    mutationFn: (given) => changeToken(call(confirmApp, given)),
    onSuccess,
    onSettled: useRefetched(),
  });

export const useRemoveApp = (onSuccess: () => void) =>
  useMutation<Answer<typeof removeApp>, Failure<typeof removeApp>, Given<typeof removeApp>>({
    mutationFn: (given) => changeToken(call(removeApp, given)),
    onSuccess: () => {
      toastSuccess('Authenticator app removed');
      onSuccess();
    },
    onSettled: useRefetched(),
  });

export const useRenewCodes = () => useMutation({ ...mutationFor(renewRecoveryCodes), onSettled: useRefetched() });
