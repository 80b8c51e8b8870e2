import type { AskFor, Errand } from '#server/queue/queue.ts';
import { payErrand, planErrand } from './begin.ts';
import { type PayMeans, payRun } from './pay.ts';
import { planRun } from './plan.ts';

/** One lane and one plan in each process: whoever wants more starts more processes. */
export const runErrands = (means: PayMeans & { askFor: AskFor }): Errand[] => [
  { ...planErrand, atOnce: 1, run: (id, signal) => planRun(means, id, signal) },
  { ...payErrand, atOnce: 1, run: (id, signal) => payRun(means, id, signal) },
];
