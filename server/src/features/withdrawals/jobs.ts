import { announce } from '#server/core/events/events.ts';
import type { Job } from '#server/core/queue/queue.ts';
import { updateUnheard } from './settlement-queries.ts';

export const withdrawalJobs: Job[] = [
  {
    name: 'withdrawals.mark-unknown',
    cron: '*/10 * * * *',
    run: (database) =>
      database.transaction().execute(async (tx) => {
        for (const id of await updateUnheard(tx)) await announce(tx, { feature: 'withdrawals', id });
      }),
  },
];
