import type { Config } from '#server/config.ts';
import type { Job } from '#server/core/queue/queue.ts';
import { recordPendingDenials } from './denials.ts';
import { publishHead } from './head.ts';

export function auditJobs({ audit }: Pick<Config, 'audit'>): Job[] {
  let published = 0n;
  return [
    {
      name: 'audit.publish-head',
      cron: '* * * * *',
      run: async (database) => {
        published = await publishHead(database, audit, published);
      },
    },
    { name: 'audit.record-denials', cron: '* * * * *', run: recordPendingDenials },
  ];
}
