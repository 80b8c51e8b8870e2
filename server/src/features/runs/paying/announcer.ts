import type { Database } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';

const betweenMs = 1_000;

/**
 * Announces the progress of each run once a second, in transactions of its own. PostgreSQL commits transactions with a
 * notification one after the other, so that those of large chunks would keep the workers waiting for each other.
 */
export function announcerOf(database: Database) {
  const announcedAt = new Map<string, number>();
  const pending = new Set<string>();
  const send = async (runIds: string[]) => {
    for (const id of runIds) {
      pending.delete(id);
      announcedAt.set(id, performance.now());
      await database.transaction().execute((tx) => announce(tx, { feature: 'runs', id }));
    }
  };
  const isDue = (id: string) => performance.now() - (announcedAt.get(id) ?? Number.NEGATIVE_INFINITY) >= betweenMs;
  return {
    /** Notes that a chunk of the run was planned or paid. */
    async note(runId: string) {
      pending.add(runId);
      await send([...pending].filter(isDue));
    },
    /** Announces what is not announced yet. */
    flush: () => send([...pending]),
  };
}
