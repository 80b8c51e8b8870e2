import type { Task } from '#server/core/queue/queue.ts';
import { makeReport } from './check.ts';
import { type RepairDeps, repairCounters } from './repair.ts';

export const checkTask = { name: 'referrals.check', unending: true } as const;
export const repairTask = { name: 'referrals.repair', unending: true } as const;

export const referralTasks = (deps: RepairDeps): Task[] => [
  { ...checkTask, atOnce: 1, run: (id, signal) => makeReport(deps, id, signal) },
  { ...repairTask, atOnce: 1, run: (id, signal) => repairCounters(deps, id, signal) },
];
