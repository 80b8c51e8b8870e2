import type { Enqueue, Job } from '#server/core/queue/queue.ts';
import { triggerDueRuns } from './schedule/due.ts';
import { prepareMonths } from './planning/plan-queries.ts';
import { selectNow } from './store/run-queries.ts';
import { requeueStalledRuns } from './recovery.ts';

export const runJobs = (enqueue: Enqueue): Job[] => [
  {
    name: 'runs.due',
    cron: '* * * * *',
    // The processes may run on machines whose clocks differ.
    run: async (database) => triggerDueRuns(database, { enqueue, now: await selectNow(database) }),
  },
  { name: 'runs.recover', cron: '* * * * *', run: (database) => requeueStalledRuns(database, enqueue) },
  {
    name: 'runs.prepare-months',
    cron: '23 3 * * *',
    run: (database) => database.transaction().execute((tx) => prepareMonths(tx)),
  },
];
