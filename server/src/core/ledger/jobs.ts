import type { Job } from '#server/core/queue/queue.ts';
import { foldBalances, prepareMonths } from './queries.ts';

export const ledgerJobs: Job[] = [
  {
    name: 'ledger.fold-balances',
    cron: '* * * * *',
    run: (database) => database.transaction().execute((tx) => foldBalances(tx)),
  },
  {
    name: 'ledger.prepare-months',
    cron: '17 3 * * *',
    run: (database) => database.transaction().execute((tx) => prepareMonths(tx)),
  },
];
