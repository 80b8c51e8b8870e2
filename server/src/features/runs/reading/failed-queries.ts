import type { FailedRun } from 'contract/runs-failed.ts';
import { sql } from 'kysely';
import type { Db } from '#server/core/db/db.ts';

/** Returns the failed runs, at most one per kind. It reads only the index of open runs, one row per kind. */
export async function selectFailed(db: Db) {
  const { rows } = await sql<FailedRun>`
    select id, kind, period, reverses from run
    where state = 'failed' order by created_at desc`.execute(db);
  return rows;
}
