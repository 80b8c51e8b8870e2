import { keepPreviousData, useMutation, useQueryClient } from '@tanstack/react-query';
import { changeTask, createTask, listTasks, readTask, setRewarded, type Task } from 'contract/tasks.ts';
import { queryFor, mutationFor } from '#panel/shell/query.ts';
import { formatAmount } from '#panel/ui/amount.tsx';
import { toastFailure, toastSuccess } from '#panel/ui/toast.ts';
import { reportFailure } from '#panel/ui/reported-failure.ts';
import type { TasksSearch } from './search.ts';

const everyTaskQuery = { queryKey: ['tasks'] } as const;

/** One page; the page before stays on the screen until it has come. */
export const tasksQuery = ({ cursor, sort, status, search }: TasksSearch) => ({
  ...queryFor(listTasks, { querystring: { cursor, sort, status, search } }),
  placeholderData: keepPreviousData,
});

/** How many there are whatever the view is narrowed to: the smallest page carries that figure. */
export const totalQuery = queryFor(listTasks, { querystring: { limit: 1 } });

export const taskQuery = (id: string) => queryFor(readTask, { params: { id } });

/** Its refusals are told in the form, beside what they are about. */
export function useCreateTask({ onSaved }: { onSaved: () => void }) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(createTask),
    onSuccess: () => {
      toastSuccess('Task created');
      onSaved();
    },
    onSettled: () => queryClient.invalidateQueries(everyTaskQuery),
  });
}

/** Its refusals are told in the form, beside what they are about. */
export function useChangeTask({ onSaved }: { onSaved: () => void }) {
  const queryClient = useQueryClient();
  return useMutation({
    ...mutationFor(changeTask),
    onSuccess: ({ task }) => {
      queryClient.setQueryData(taskQuery(task.id).queryKey, { task });
      toastSuccess('Task saved');
      onSaved();
    },
    onSettled: () => queryClient.invalidateQueries(everyTaskQuery),
  });
}

function saidOf({ rewarded, waitsUntil, reward }: Task) {
  if (waitsUntil) return 'Sent to a second approver';
  return `${formatAmount(reward, 'USD')} ${rewarded ? 'paid to the user' : 'taken back from the user'}`;
}

export function useSetRewarded({ id, version }: Pick<Task, 'id' | 'version'>) {
  const queryClient = useQueryClient();
  const setting = useMutation({
    ...mutationFor(setRewarded),
    onSuccess: ({ task }) => toastSuccess(saidOf(task)),
    onError: (failure, given) => {
      // Someone else was faster: what was wanted is so, or has to be wanted anew for what the task is now.
      if (failure.code === 'RewardUnchanged' || failure.code === 'TaskConflict') toastFailure(failure.words);
      else {
        const failed = given.body.rewarded ? 'Failed to reward the task' : 'Failed to revoke the reward';
        reportFailure(failed, failure, () => setting.mutate(given));
      }
    },
    onSettled: () => queryClient.invalidateQueries(everyTaskQuery),
  });
  return {
    isPending: setting.isPending,
    set: (rewarded: boolean) => setting.mutate({ params: { id }, body: { rewarded, version } }),
  };
}
