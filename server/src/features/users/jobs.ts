import type { Job } from '#server/core/queue/queue.ts';
import { foldCounts } from './counts.ts';

export const userJobs: Job[] = [
  {
    name: 'users.fold-counts',
    cron: '* * * * *',
    run: async (database) => void (await database.transaction().execute((tx) => foldCounts(tx))),
  },
];
