import { selectNow } from '#server/core/db/db.ts';
import type { Enqueue, Job } from '#server/core/queue/queue.ts';
import { type Archiving, archiveLines } from './archiving/archive.ts';
import { triggerDueRuns } from './schedule/due.ts';
import { deleteUnusedPlans } from './planning/delete-unused.ts';
import { prepareMonths } from './planning/plan-queries.ts';
import { requeueLostPlans } from './recovery.ts';

type Deps = {
  enqueue: Enqueue;
  archive: Pick<Archiving, 'pool' | 'folder' | 'keepMonths'>;
  /** Aborts long jobs when the worker stops. */
  stopping: AbortSignal;
};

const longestArchiveSeconds = 6 * 3_600;

export const runJobs = ({ enqueue, archive, stopping }: Deps): Job[] => [
  {
    name: 'runs.due',
    cron: '* * * * *',
    // The processes may run on machines whose clocks differ.
    run: async (database) => triggerDueRuns(database, { enqueue, now: await selectNow(database) }),
  },
  { name: 'runs.recover', cron: '* * * * *', run: (database) => requeueLostPlans(database, enqueue) },
  { name: 'runs.delete-plans', cron: '*/5 * * * *', run: (database) => deleteUnusedPlans(database, stopping) },
  {
    name: 'runs.prepare-months',
    cron: '23 3 * * *',
    run: (database) => database.transaction().execute((tx) => prepareMonths(tx)),
  },
  {
    name: 'runs.archive',
    cron: '41 4 * * *',
    longestSeconds: longestArchiveSeconds,
    run: async (database) => archiveLines({ database, ...archive }, await selectNow(database), stopping),
  },
];
