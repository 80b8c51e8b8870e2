import type { Task } from '#server/core/queue/queue.ts';
import { buildExport, type Deps } from './build.ts';

export const exportTask = { name: 'reports.build-export' } as const;

/** So many files are built by one process at a time, each over a connection of its own. */
export const exportsAtOnce = 2;

export const exportTasks = (deps: Deps): Task[] => [
  { ...exportTask, atOnce: exportsAtOnce, run: (id, signal) => buildExport(deps, id, signal) },
];
