import type { Errand } from '#server/core/queue/queue.ts';
import { makeReport } from './check.ts';
import { type RepairMeans, repairCounters } from './repair.ts';

export const checkErrand = { name: 'referrals.check', unending: true } as const;
export const repairErrand = { name: 'referrals.repair', unending: true } as const;

export const referralErrands = (means: RepairMeans): Errand[] => [
  { ...checkErrand, atOnce: 1, run: (id, signal) => makeReport(means, id, signal) },
  { ...repairErrand, atOnce: 1, run: (id, signal) => repairCounters(means, id, signal) },
];
