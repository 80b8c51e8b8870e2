import { useMutation, useQueryClient } from '@tanstack/react-query';
import { openKey, readKeyReveal, requestKeyReveal, resetPassword } from 'contract/users-secrets.ts';
import { mutationFor, queryFor } from '#panel/shell/query.ts';
import { reportFailure } from '#panel/ui/reported-failure.ts';
import { toastSuccess } from '#panel/ui/toast.ts';
import { userQuery } from './api.ts';

export const keyRevealQuery = (id: string) => queryFor(readKeyReveal, { params: { id } });

export function useRequestKeyReveal({ onDone }: { onDone: () => void }) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(requestKeyReveal),
    onSuccess: ({ reveal }, { params }) => {
      queryClient.setQueryData(keyRevealQuery(params.id).queryKey, { reveal });
      toastSuccess('Sent to a second approver');
      onDone();
    },
    onError: (failure) => reportFailure('Failed to request the key', failure),
    onSettled: (_, __, { params }) =>
      Promise.all([
        queryClient.invalidateQueries(keyRevealQuery(params.id)),
        queryClient.invalidateQueries({ queryKey: ['approvals'] }),
      ]),
  });
}

/** The response is not kept in the cache after the dialog has closed or masked the key. */
export const useOpenKey = () => useMutation({ ...mutationFor(openKey), gcTime: 0 });

export function useResetPassword({ onDone }: { onDone: () => void }) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(resetPassword),
    onSuccess: ({ user }) => {
      queryClient.setQueryData(userQuery(user.id).queryKey, { user });
      toastSuccess('Password reset');
      onDone();
    },
    onError: (failure) => reportFailure('Failed to reset the password', failure),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['users'] }),
  });
}
