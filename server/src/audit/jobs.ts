import type { Config } from '#server/config.ts';
import type { Job } from '#server/queue/queue.ts';
import { publishHead } from './head.ts';

export const auditJobs = ({ audit }: Pick<Config, 'audit'>): Job[] => [
  { name: 'audit.publish-head', cron: '* * * * *', run: (database) => publishHead(database, audit) },
];
