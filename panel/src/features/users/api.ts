import { keepPreviousData, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer } from 'contract/core/endpoint.ts';
import { requestWriteOff } from 'contract/ledger.ts';
import { changeUser, deleteUser, listUsers, readUser, setBlacklisted } from 'contract/users.ts';
import { queryFor, mutationFor } from '#panel/shell/query.ts';
import { toastFailure, toastSuccess } from '#panel/ui/toast.ts';
import { reportFailure } from '#panel/ui/reported-failure.ts';
import type { UsersSearch } from './search.ts';

const everyUserQuery = { queryKey: ['users'] } as const;
const everyList = { queryKey: ['users', listUsers.url] } as const;

/** One page of the list. The previous page stays on the screen while it loads. */
export const usersQuery = ({ cursor, sort, search, blacklisted }: UsersSearch) => ({
  ...queryFor(listUsers, { querystring: { cursor, sort, search, blacklisted } }),
  placeholderData: keepPreviousData,
});

/** Reads the unfiltered total from the smallest possible page. */
export const totalQuery = queryFor(listUsers, { querystring: { limit: 1 } });
export const blacklistedTotalQuery = queryFor(listUsers, { querystring: { limit: 1, blacklisted: 'yes' } });

export const userQuery = (id: string) => queryFor(readUser, { params: { id } });

type List = Answer<typeof listUsers>;

export function useDeleteUser({ onSettled }: { onSettled: () => void }) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(deleteUser),
    onSuccess: (_, { params }) => {
      queryClient.setQueriesData<List>(everyList, (list) => list && without(list, params.id));
      toastSuccess('User deleted');
    },
    onError: (failure) => reportFailure('Failed to delete user', failure),
    onSettled: () => {
      onSettled();
      return queryClient.invalidateQueries(everyUserQuery);
    },
  });
}

/** Removes the row immediately. The totals follow with the next response. */
function without(list: List, id: string): List {
  return { ...list, users: list.users.filter((user) => user.id !== id) };
}

/** The form shows refusals next to the fields they concern, so there is no error toast. */
export function useChangeUser({ onSaved }: { onSaved: () => void }) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(changeUser),
    onSuccess: ({ user }) => {
      queryClient.setQueryData(userQuery(user.id).queryKey, { user });
      toastSuccess('Profile saved');
      onSaved();
    },
    onSettled: () => queryClient.invalidateQueries(everyUserQuery),
  });
}

/** A failure keeps the form open with the reason, unless the state is already as requested. */
export function useSetBlacklisted({ onDone }: { onDone: () => void }) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(setBlacklisted),
    onSuccess: ({ user }) => {
      queryClient.setQueryData(userQuery(user.id).queryKey, { user });
      toastSuccess(user.isBlacklisted ? 'User blacklisted' : 'User no longer blacklisted');
      onDone();
    },
    onError: (failure, { body }) => {
      // Someone else was faster and the state is as requested, so there is nothing to retry.
      if (failure.code === 'BlacklistUnchanged') {
        toastFailure(failure.message);
        onDone();
      } else reportFailure(body.blacklisted ? 'Failed to blacklist user' : 'Failed to unblacklist user', failure);
    },
    onSettled: () => queryClient.invalidateQueries(everyUserQuery),
  });
}

export function useRequestWriteOff({ onDone }: { onDone: () => void }) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(requestWriteOff),
    onSuccess: () => {
      toastSuccess('Sent to a second approver');
      onDone();
    },
    onError: (failure) => reportFailure('Failed to request the write-off', failure),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['approvals'] }),
  });
}
