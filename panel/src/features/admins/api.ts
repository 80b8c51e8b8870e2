import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Admin, createAdmin, deleteAdmin, listAdmins, readAdmin, updateAdmin } from 'contract/admins.ts';
import { queryFor, mutationFor } from '#panel/shell/query.ts';
import { meQuery } from '#panel/shell/me.ts';
import { toastFailure, toastSuccess } from '#panel/ui/toast.ts';
import { reportFailure } from '#panel/ui/reported-failure.ts';

export const adminsQuery = queryFor(listAdmins, {});

export const adminQuery = (id: string) => queryFor(readAdmin, { params: { id } });

const grantRequested = 'The Super Admin role is waiting for a second approver';
const changeRequested = 'The change is waiting for a second approver';
const deletionRequested = 'The deletion is waiting for a second approver';

const everyAdminQuery = { queryKey: ['admins'] } as const;

export function useCreateAdmin({ onCreated }: { onCreated: () => void }) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(createAdmin),
    onSuccess: ({ admin, waiting }) => {
      queryClient.setQueryData(adminsQuery.queryKey, (list) => list && { admins: [...list.admins, admin] });
      toastSuccess('Admin added successfully');
      if (waiting) toastSuccess(grantRequested);
      onCreated();
    },
    onError: ({ message, reference }) => {
      // Only a response of the server has a reference. Without one, the text is the client's.
      if (reference) toastFailure(message, { reference });
      else toastFailure('Failed to create admin', { detail: message });
    },
    onSettled: () => queryClient.invalidateQueries(everyAdminQuery),
  });
}

export function useDeleteAdmin({ onSettled }: { onSettled: () => void }) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(deleteAdmin),
    onSuccess: ({ waiting }, { body }) => {
      if (waiting) {
        toastSuccess(deletionRequested);
        return;
      }
      queryClient.setQueryData(
        adminsQuery.queryKey,
        (list) => list && { admins: list.admins.filter(({ username }) => username !== body.username) },
      );
      toastSuccess('Admin deleted successfully');
    },
    onError: (failure) => reportFailure('Failed to delete admin', failure),
    onSettled: () => {
      onSettled();
      return queryClient.invalidateQueries(everyAdminQuery);
    },
  });
}

/** The form shows refusals next to the fields they concern, so there is no error toast. */
export function useUpdateAdmin({ onSaved }: { onSaved: (admin: Admin) => void }) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(updateAdmin),
    onSuccess: (answer) => {
      queryClient.setQueryData(adminQuery(answer.admin.id).queryKey, answer);
      toastSuccess(answer.waiting ? changeRequested : 'Admin updated successfully');
      onSaved(answer.admin);
    },
    onSettled: async () => {
      await Promise.all([
        queryClient.invalidateQueries(everyAdminQuery),
        queryClient.invalidateQueries({ queryKey: meQuery.queryKey }),
      ]);
    },
  });
}
