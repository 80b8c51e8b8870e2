import { keptDays } from 'contract/integrations-events.ts';
import type { Job } from '#server/core/queue/queue.ts';
import { deleteOldEvents } from './queries.ts';

const atOnce = 5_000;

export const outboxJobs: Job[] = [
  {
    name: 'outbox.delete-old-events',
    cron: '17 3 * * *',
    longestSeconds: 3_600,
    run: async (database) => {
      const deleteSome = () =>
        database.transaction().execute((tx) => deleteOldEvents(tx, { olderThanDays: keptDays, limit: atOnce }));
      while ((await deleteSome()) === atOnce);
    },
  },
];
