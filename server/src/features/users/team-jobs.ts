import { type Database, wasStopped } from '#server/core/db/db.ts';
import type { Job } from '#server/core/queue/queue.ts';
import { foldTeamDeltas } from './team-queries.ts';

const batch = 10_000;
/** More would run into the next minute's turn; what is left waits for it. */
const mostBatches = 20;

/** Each batch commits by itself: what was folded stays folded, whatever stops the next. */
export async function foldTeams(database: Database, { rows = batch, batches = mostBatches } = {}) {
  let most = rows;
  for (let turn = 0; turn < batches; turn += 1) {
    const taken = await foldBatch(database, most);
    if (taken === undefined) most = Math.ceil(most / 10);
    else if (taken < most) return;
  }
}

/**
 * How many were folded; nothing where there was no time for so many. Below long chains a row is a thousand to carry,
 * and the same rows would be taken, and be too many, for ever.
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
