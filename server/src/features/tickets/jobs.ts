import type { Job } from '#server/core/queue/queue.ts';
import { foldCounts } from './queries.ts';

export const ticketJobs: Job[] = [
  {
    name: 'tickets.fold-counts',
    cron: '* * * * *',
    run: async (database) => void (await database.transaction().execute((tx) => foldCounts(tx))),
  },
];
