import { announce } from '#server/core/events/events.ts';
import type { Job } from '#server/core/queue/queue.ts';
import { expireWaiting } from './queries.ts';

export const approvalJobs: Job[] = [
  {
    name: 'approvals.expire',
    cron: '*/5 * * * *',
    run: (database) =>
      database.transaction().execute(async (tx) => {
        for (const id of await expireWaiting(tx)) await announce(tx, { feature: 'approvals', id });
      }),
  },
];
