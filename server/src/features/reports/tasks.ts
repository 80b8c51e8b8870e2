import type { Task } from '#server/core/queue/queue.ts';
import { buildExport, type Deps } from './build.ts';

export const exportTask = { name: 'reports.build-export' } as const;

/** The number of files that a process builds concurrently, each with its own connection. */
export const exportsAtOnce = 2;

export const exportTasks = (deps: Deps): Task[] => [
  { ...exportTask, atOnce: exportsAtOnce, run: (id, signal) => buildExport(deps, id, signal) },
];
