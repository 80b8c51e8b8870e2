import type { Task } from '#server/core/queue/queue.ts';
import { makeReport } from './check.ts';
import { type RepairMeans, repairCounters } from './repair.ts';

export const checkTask = { name: 'referrals.check', unending: true } as const;
export const repairTask = { name: 'referrals.repair', unending: true } as const;

export const referralTasks = (means: RepairMeans): Task[] => [
  { ...checkTask, atOnce: 1, run: (id, signal) => makeReport(means, id, signal) },
  { ...repairTask, atOnce: 1, run: (id, signal) => repairCounters(means, id, signal) },
];
