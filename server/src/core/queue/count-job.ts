import type { Database, Tx } from '#server/core/db/db.ts';
import type { Job } from './queue.ts';

/** Merges the rows of one feature's counters. */
export type FoldCounts = (tx: Tx) => Promise<unknown>;

/** Folds the counters of every feature in one job, because each further job costs the database some ten statements a minute. */
export const countJob = (folds: readonly FoldCounts[]): Job => ({
  name: 'counts.fold',
  cron: '* * * * *',
  run: (database) => foldAll(database, folds),
});

/** Each fold commits on its own, so that a failure does not keep the counters of other features from being folded. */
export async function foldAll(database: Database, folds: readonly FoldCounts[]) {
  const errors: unknown[] = [];
  for (const fold of folds) {
    await database
      .transaction()
      .execute(fold)
      .catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
}
