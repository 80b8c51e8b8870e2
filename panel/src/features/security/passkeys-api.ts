import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer, Given } from 'contract/core/endpoint.ts';
import { addPasskey, listPasskeys, removePasskey, startPasskey } from 'contract/security-passkeys.ts';
import { call, type Failure } from '#panel/shell/call.ts';
import { queryFor } from '#panel/shell/query.ts';
import { changeToken } from '#panel/shell/session-store.ts';
import { toastSuccess } from '#panel/ui/toast.ts';

export const passkeysQuery = queryFor(listPasskeys, {});

function useRefetched() {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: ['security'] });
}

type New = { name: string; admin: { id: string; username: string } };
type Added = Answer<typeof addPasskey> | undefined;

/** Creates a passkey in the browser and adds it. The answer is undefined if the browser created none. */
export const useAddPasskey = (onAdded: (answer: Answer<typeof addPasskey>) => void) =>
  useMutation<Added, Failure<typeof addPasskey>, New>({
    mutationFn: async ({ name, admin }) => {
      const { createPasskey } = await import('#panel/shell/passkey.ts');
      const { challenge } = await call(startPasskey, {});
      const { passkeys } = await call(listPasskeys, {});
      const existing = passkeys.map(({ credentialId }) => credentialId);
      const created = await createPasskey({ challenge, admin, existing });
      return created && changeToken(call(addPasskey, { body: { name, ...created } }));
    },
    onSuccess: (added) => added && onAdded(added),
    onSettled: useRefetched(),
  });

export const useRemovePasskey = (onSuccess: () => void) =>
  useMutation<Answer<typeof removePasskey>, Failure<typeof removePasskey>, Given<typeof removePasskey>>({
    mutationFn: (given) => changeToken(call(removePasskey, given)),
    onSuccess: () => {
      toastSuccess('Passkey removed');
      onSuccess();
    },
    onSettled: useRefetched(),
  });
