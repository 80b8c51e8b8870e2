import { sql } from 'kysely';
import type { Db } from '#server/core/db/db.ts';

/** Workers report every 15 seconds. Home polls twice a minute, so it notices a missing worker within two minutes. */
const aliveSeconds = 60;

/** SQL for whether a row of `worker_process` is a worker that is alive. */
export const isAlive = sql<boolean>`seen_at > now() - make_interval(secs => ${aliveSeconds})`;

/** Counts the worker processes that are alive. */
export async function countWorkers(db: Db) {
  const { workers } = await db
    .selectFrom('workerProcess')
    .select((select) => select.fn.countAll<bigint>().as('workers'))
    .where(isAlive)
    .executeTakeFirstOrThrow();
  return Number(workers);
}
