import type { FailedRun } from 'contract/runs-failed.ts';
import { sql } from 'kysely';
import type { Db } from '#server/core/db/db.ts';

/** At most one of each kind: a kind has one run that is not over, and the index of those is all that is read. */
export async function selectFailed(db: Db) {
  const { rows } = await sql<FailedRun>`
    select id, kind, period, reverses from run
    where state = 'failed' order by created_at desc`.execute(db);
  return rows;
}
