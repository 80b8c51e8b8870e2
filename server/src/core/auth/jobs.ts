import type { Config } from '#server/config.ts';
import type { Job } from '#server/core/queue/queue.ts';
import { deleteOldUsage } from './api-key-queries.ts';
import { deleteEndedSessions, deleteForgottenDevices, deletePastAttempts } from './queries.ts';

export const authJobs = ({ session }: Pick<Config, 'session'>): Job[] => [
  {
    name: 'auth.sweep',
    cron: '*/5 * * * *',
    run: (database) =>
      database.transaction().execute(async (tx) => {
        await deleteEndedSessions(tx, session.idleMinutes);
        await deleteForgottenDevices(tx);
        await deletePastAttempts(tx);
        await deleteOldUsage(tx);
      }),
  },
];
