import { type Database, wasStopped } from '#server/core/db/db.ts';
import type { Job } from '#server/core/queue/queue.ts';
import { foldTeamDeltas } from './team-queries.ts';

const batch = 10_000;
/** More would run into the next run of the job, which folds the rest. */
const mostBatches = 20;

/** Folds the waiting rows in batches. Each batch commits on its own, so that a later failure does not undo it. */
export async function foldTeams(database: Database, { rows = batch, batches = mostBatches } = {}) {
  let most = rows;
  for (let turn = 0; turn < batches; turn += 1) {
    const taken = await foldBatch(database, most);
    if (taken === undefined) most = Math.ceil(most / 10);
    else if (taken < most) return;
  }
}

/**
 * Returns the number of folded rows, or undefined if the batch was too large for the statement timeout. Below a long
 * chain a row updates a thousand teams, and a batch of the same size would time out every time.
 */
function foldBatch(database: Database, most: number) {
  return database
    .transaction()
    .execute((tx) => foldTeamDeltas(tx, most))
    .catch((error: unknown) => {
      if (most > 1 && wasStopped(error)) return undefined;
      throw error;
    });
}

export const teamJobs: Job[] = [
  { name: 'users.fold-teams', cron: '* * * * *', run: (database) => foldTeams(database) },
];
