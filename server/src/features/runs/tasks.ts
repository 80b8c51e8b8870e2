import type { Database } from '#server/core/db/db.ts';
import type { Task } from '#server/core/queue/queue.ts';
import { planRun } from './planning/plan.ts';
import { planTask } from './store/task-names.ts';

/** Each process makes one plan at a time. */
export const runTasks = (database: Database): Task[] => [
  { ...planTask, atOnce: 1, run: (id, signal) => planRun({ database }, id, signal) },
];
