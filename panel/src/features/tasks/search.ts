import { Search } from 'contract/core/paging.ts';
import type { TaskSort, TaskStatus } from 'contract/tasks.ts';
import { z } from 'zod';
import { inAddress, oneOf, viewSearch } from '#panel/ui/table/view.ts';

export type TasksSearch = z.output<typeof tasksSearch>;
export const tasksSearch = z.object({
  ...viewSearch,
  search: inAddress(Search),
  sort: oneOf<TaskSort>({
    '-createdAt': true,
    createdAt: true,
    deadline: true,
    '-deadline': true,
    reward: true,
    '-reward': true,
  }),
  status: oneOf<TaskStatus>({ Active: true, Completed: true }),
  /** The task that is open over the list. */
  task: inAddress(z.uuid()),
});
