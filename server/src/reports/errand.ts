import type { Errand } from '#server/queue/queue.ts';
import { buildExport, type Means } from './build.ts';

export const exportErrand = 'reports.build-export';

/** So many files are built by one process at a time, each over a connection of its own. */
export const exportsAtOnce = 2;

export const exportErrands = (means: Means): Errand[] => [
  { name: exportErrand, atOnce: exportsAtOnce, run: (id, signal) => buildExport(means, id, signal) },
];
