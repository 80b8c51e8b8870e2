import type { Database, Tx } from '#server/core/db/db.ts';

/** Takes a lock in its own transaction and returns a function that releases it. */
export async function holdingLock(database: Database, take: (tx: Tx) => Promise<unknown>) {
  const { promise: until, resolve: release } = Promise.withResolvers<void>();
  const { promise: ready, resolve: markReady } = Promise.withResolvers<void>();
  const held = database.transaction().execute(async (tx) => {
    await take(tx);
    markReady();
    await until;
  });
  await Promise.race([ready, held]);
  return async () => {
    release();
    await held;
  };
}
