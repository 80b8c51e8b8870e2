import type { Job } from '#server/core/queue/queue.ts';
import { recordPendingDenials } from './denials.ts';
import { type NightlyDeps, nightlyVerification } from './verification-work.ts';

export const auditJobs = (deps: NightlyDeps): Job[] => [
  { name: 'audit.record-denials', cron: '* * * * *', run: recordPendingDenials },
  nightlyVerification(deps),
];
