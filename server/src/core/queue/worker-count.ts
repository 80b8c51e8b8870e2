import { sql } from 'kysely';
import type { Db } from '#server/core/db/db.ts';

/** Workers report every 15 seconds. Home polls twice a minute, so it notices a missing worker within two minutes. */
const aliveSeconds = 60;

/** Counts the worker processes that are alive. */
export async function countWorkers(db: Db) {
  const { workers } = await db
    .selectFrom('workerProcess')
    .select((select) => select.fn.countAll<bigint>().as('workers'))
    .where('seenAt', '>', sql<Date>`now() - make_interval(secs => ${aliveSeconds})`)
    .executeTakeFirstOrThrow();
  return Number(workers);
}
