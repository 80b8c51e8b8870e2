import { keepPreviousData, useMutation, useQueryClient } from '@tanstack/react-query';
import { changeTask, createTask, listTasks, readTask, setRewarded, type Task } from 'contract/tasks.ts';
import { queryFor, mutationFor } from '#panel/shell/query.ts';
import { formatAmount } from '#panel/ui/amount.tsx';
import { toastFailure, toastSuccess } from '#panel/ui/toast.ts';
import { reportFailure } from '#panel/ui/reported-failure.ts';
import type { TasksSearch } from './search.ts';

const everyTaskQuery = { queryKey: ['tasks'] } as const;

/** One page of the list. The previous page stays on the screen while it loads. */
export const tasksQuery = ({ cursor, sort, status, search }: TasksSearch) => ({
  ...queryFor(listTasks, { querystring: { cursor, sort, status, search } }),
  placeholderData: keepPreviousData,
});

/** Reads the unfiltered total from the smallest possible page. */
export const totalQuery = queryFor(listTasks, { querystring: { limit: 1 } });

export const taskQuery = (id: string) => queryFor(readTask, { params: { id } });

/** The form shows refusals next to the fields they concern, so there is no error toast. */
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

/** The form shows refusals next to the fields they concern, so there is no error toast. */
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

function rewardText({ rewarded, waitsUntil, reward }: Task) {
  if (waitsUntil) return 'Sent to a second approver';
  return `${formatAmount(reward, 'USD')} ${rewarded ? 'paid to the user' : 'reversed'}`;
}

type Settled = { onSettled?: () => void };

export function useSetRewarded({ id, version }: Pick<Task, 'id' | 'version'>, { onSettled }: Settled = {}) {
  const queryClient = useQueryClient();
  const setting = useMutation({
    ...mutationFor(setRewarded),
    onSuccess: ({ task }) => toastSuccess(rewardText(task)),
    onError: (failure, given) => {
      // Someone else was faster: the reward is already set, or the task has changed, so a blind retry makes no sense.
      if (failure.code === 'RewardUnchanged' || failure.code === 'TaskConflict') toastFailure(failure.message);
      else {
        const failed = given.body.rewarded ? 'Failed to reward the task' : 'Failed to revoke the reward';
        reportFailure(failed, failure, () => setting.mutate(given));
      }
    },
    onSettled: () => {
      onSettled?.();
      return queryClient.invalidateQueries(everyTaskQuery);
    },
  });
  return {
    isPending: setting.isPending,
    set: (rewarded: boolean) => setting.mutate({ params: { id }, body: { rewarded, version } }),
  };
}
