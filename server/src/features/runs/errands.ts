import type { AskFor, Errand } from '#server/core/queue/queue.ts';
import { type PayMeans, payRun } from './paying/pay.ts';
import { planRun } from './planning/plan.ts';
import { payErrand, planErrand } from './store/tasks.ts';

/** One lane and one plan in each process: whoever wants more starts more processes. */
export const runErrands = (means: PayMeans & { askFor: AskFor }): Errand[] => [
  { ...planErrand, atOnce: 1, run: (id, signal) => planRun(means, id, signal) },
  { ...payErrand, atOnce: 1, run: (id, signal) => payRun(means, id, signal) },
];
