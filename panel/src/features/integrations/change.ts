import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Answer, anyCallRefusals, type Endpoint, type Given } from 'contract/core/endpoint.ts';
import { holds } from 'contract/core/permissions.ts';
import type { Failure } from '#panel/shell/call.ts';
import { useMe } from '#panel/shell/me.ts';
import { mutationFor } from '#panel/shell/query.ts';
import { reportFailure } from '#panel/ui/reported-failure.ts';
import { toastSuccess } from '#panel/ui/toast.ts';

/** Why the administrator cannot change keys and webhooks, if so. */
export const useWriteDenied = () =>
  holds(useMe(), 'integrations.write') ? undefined : anyCallRefusals[403].PermissionDenied;

type Handlers<E extends Endpoint> = {
  /** The toast after a success. */
  success?: string;
  /** The toast after a failure. Without it, the form shows the failure. */
  failed?: string;
  onSuccess?: (answer: Answer<E>) => void;
};

/** Changes keys or webhooks, and fetches them again. */
export function useChange<const E extends Endpoint>(endpoint: E, { success, failed, onSuccess }: Handlers<E>) {
  const queryClient = useQueryClient();
  const { mutationFn } = mutationFor(endpoint);
  return useMutation<Answer<E>, Failure<E>, Given<E>>({
    ...(mutationFn && { mutationFn }),
    onSuccess: (answer) => {
      if (success) toastSuccess(success);
      onSuccess?.(answer);
    },
    onError: (failure) => failed && reportFailure(failed, failure),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['integrations'] }),
  });
}

export type Done<E extends Endpoint> = { onSuccess: (answer: Answer<E>) => void };
