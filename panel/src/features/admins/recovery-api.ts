import { useMutation, useQueryClient } from '@tanstack/react-query';
import { completeRecovery, listRecoveries, requestRecovery } from 'contract/admins-recovery.ts';
import { mutationFor, queryFor } from '#panel/shell/query.ts';
import { toastSuccess } from '#panel/ui/toast.ts';

export const recoveriesQuery = queryFor(listRecoveries, {});

export function useRequestRecovery({ onDone }: { onDone: () => void }) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(requestRecovery),
    onSuccess: () => {
      toastSuccess('The recovery is waiting for a second approver');
      onDone();
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: [requestRecovery.feature] }),
  });
}

/** The password is in the response only: no cache keeps it. */
export function useCompleteRecovery() {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(completeRecovery),
    gcTime: 0,
    onSettled: () => queryClient.invalidateQueries({ queryKey: [completeRecovery.feature] }),
  });
}
