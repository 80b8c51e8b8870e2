import type { Reason } from 'contract/runs-reasons.ts';
import { sql } from 'kysely';
import { type Database, isDiskFull } from '#server/core/db/db.ts';
import { messageOf } from './error-message.ts';

/**
 * Records the error that interrupted an attempt to plan or pay a run. The attempt is repeated, and an administrator sees
 * the error if the run makes no progress. Does nothing if the database cannot record it.
 */
export async function recordInterruption(database: Database, runId: string, error: unknown) {
  const reason: Reason = isDiskFull(error)
    ? { code: 'disk-full', params: {} }
    : { code: 'technical-error', params: { message: messageOf(error) } };
  await database
    .transaction()
    .execute((tx) =>
      sql`update run set last_error = ${JSON.stringify(reason)}::jsonb, last_error_at = clock_timestamp()
        where id = ${runId}::uuid and state in ('planning', 'running')`.execute(tx),
    )
    .catch(() => undefined);
}
