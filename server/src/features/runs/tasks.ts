import type { Enqueue, Task } from '#server/core/queue/queue.ts';
import { type PayDeps, payRun } from './paying/pay.ts';
import { planRun } from './planning/plan.ts';
import { payTask, planTask } from './store/task-names.ts';

/** Each process runs one lane and one plan at a time. More processes give more concurrency. */
export const runTasks = (deps: PayDeps & { enqueue: Enqueue }): Task[] => [
  { ...planTask, atOnce: 1, run: (id, signal) => planRun(deps, id, signal) },
  { ...payTask, atOnce: 1, run: (id, signal) => payRun(deps, id, signal) },
];
