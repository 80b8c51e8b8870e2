import { Search } from 'contract/paging.ts';
import { TaskSort, TaskStatus } from 'contract/tasks.ts';
import { z } from 'zod';
import { inAddress, viewSearch } from '#panel/ui/table/view.ts';

export type TasksSearch = z.output<typeof tasksSearch>;
export const tasksSearch = z.object({
  ...viewSearch,
  search: inAddress(Search),
  sort: inAddress(TaskSort),
  status: inAddress(TaskStatus),
  /** The task that stands open over the list. */
  task: inAddress(z.uuid()),
});
