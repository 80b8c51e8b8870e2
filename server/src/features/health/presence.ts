import { randomUUID } from 'node:crypto';
import type { Database } from '#server/core/db/db.ts';
import type { Log } from '#server/core/log.ts';
import { deleteWorker, upsertWorker } from './queries.ts';

const beatMs = 15_000;

/** Records every few seconds that this worker process is alive, until `stop`. A missed beat is logged. */
export async function recordPresence(database: Database, log: Log) {
  const id = randomUUID();
  const beat = () =>
    database
      .transaction()
      .execute((tx) => upsertWorker(tx, id))
      .catch((error: unknown) => log.warn({ error }, 'this worker could not be recorded as alive'));
  await beat();
  let pending = Promise.resolve();
  const timer = setInterval(() => {
    pending = pending.then(beat);
  }, beatMs);
  return {
    async stop() {
      clearInterval(timer);
      await pending;
      // Without the database, the row is forgotten later.
      await database
        .transaction()
        .execute((tx) => deleteWorker(tx, id))
        .catch((error: unknown) => log.warn({ error }, 'this worker could not be recorded as stopped'));
    },
  };
}
