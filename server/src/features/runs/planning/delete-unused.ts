import { type Database, type Db, runQuery } from '#server/core/db/db.ts';
import { sql } from 'kysely';
import { deleteLastChunk } from './plan-queries.ts';

const selectUnused = (db: Db) =>
  runQuery<{ id: string; day: string }>(
    db,
    sql`select id, day::text as day from run
      where state = 'cancelled' and started_at is null and exists (select from run_chunk where run_id = run.id)`,
  );

/** Shorter than the time after which the job counts as lost. The next one continues. */
const longestMs = 4 * 60_000;

/** Deletes the lines of plans that were canceled before they were started, one chunk in each transaction. */
export async function deleteUnusedPlans(database: Database, stopping: AbortSignal) {
  const enough = AbortSignal.any([stopping, AbortSignal.timeout(longestMs)]);
  for (const run of await selectUnused(database)) {
    while (!enough.aborted && (await database.transaction().execute((tx) => deleteLastChunk(tx, run))));
  }
}
