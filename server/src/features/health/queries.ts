import { sql } from 'kysely';
import type { Tx } from '#server/core/db/db.ts';

/** Records that a worker process is alive, and forgets those that ended without a word. */
export async function upsertWorker(tx: Tx, id: string) {
  await tx
    .insertInto('workerProcess')
    .values({ id })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seenAt: sql`now()` }))
    .execute();
  await sql`delete from worker_process where seen_at < now() - interval '1 day'`.execute(tx);
}

export async function deleteWorker(tx: Tx, id: string) {
  await tx.deleteFrom('workerProcess').where('id', '=', id).execute();
}
