import type { Config } from '#server/config.ts';
import type { Database } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import type { Enqueue, Job } from '#server/core/queue/queue.ts';
import { countFailure } from './build.ts';
import { exportTask } from './tasks.ts';
import { deleteExpired, lockStalled, putBack, selectExpired, selectStates } from './export-queries.ts';
import { prepareActivityDays } from './inbound-queries.ts';
import { findQuietFiles, finishedFile, removeFile } from './folder.ts';

type Deps = { exports: Config['exports']; enqueue: Enqueue };

export const reportJobs = ({ exports: { folder }, enqueue }: Deps): Job[] => [
  {
    name: 'reports.sweep',
    cron: '* * * * *',
    run: async (database) => {
      await resumeStalled(database, enqueue);
      await deleteExpiredExports(database, folder);
      await deleteLeftovers(database, folder);
    },
  },
  {
    name: 'reports.prepare-activity-days',
    cron: '23 * * * *',
    run: (database) => database.transaction().execute(prepareActivityDays),
  },
];

/** Enqueues stalled exports again. A worker that died counts as a failure of the export, a lost task does not. */
function resumeStalled(database: Database, enqueue: Enqueue) {
  return database.transaction().execute(async (tx) => {
    for (const { id, state } of await lockStalled(tx)) {
      const mayRetry = state === 'waiting' || (await countFailure(tx, id));
      if (mayRetry) {
        await putBack(tx, id);
        await enqueue(tx, exportTask.name, id);
      }
      await announce(tx, { feature: 'reports', id });
    }
  });
}

/** Deletes the file before the row, so that an interrupted deletion is found and repeated. */
async function deleteExpiredExports(database: Database, folder: string) {
  const expired = await selectExpired(database);
  for (const { id } of expired) await removeFile(finishedFile(folder, id));
  if (expired.length === 0) return;
  await database.transaction().execute(async (tx) => {
    await deleteExpired(
      tx,
      expired.map(({ id }) => id),
    );
    for (const { id } of expired) await announce(tx, { feature: 'reports', id });
  });
}

const quietMs = 60_000;

async function deleteLeftovers(database: Database, folder: string) {
  const quiet = await findQuietFiles(folder, quietMs);
  if (quiet.length === 0) return;
  const states = new Map(
    (
      await selectStates(
        database,
        quiet.map(({ id }) => id),
      )
    ).map((one) => [one.id, one]),
  );
  for (const { file, id, attempt } of quiet) {
    const known = states.get(id);
    const isNeeded =
      attempt === undefined ? known?.state === 'done' : known?.state === 'running' && known.attempt === attempt;
    if (!isNeeded) await removeFile(file);
  }
}
