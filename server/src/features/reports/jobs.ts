import type { Config } from '#server/config.ts';
import type { Database } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import type { Enqueue, Job } from '#server/core/queue/queue.ts';
import { countFailure } from './build.ts';
import { exportTask } from './tasks.ts';
import { deletePast, lockForgotten, putBack, selectPast, selectStates } from './export-queries.ts';
import { findQuietFiles, finishedFile, removeFile } from './folder.ts';

type Deps = { exports: Config['exports']; enqueue: Enqueue };

export const reportJobs = ({ exports: { folder }, enqueue }: Deps): Job[] => [
  {
    name: 'reports.sweep',
    cron: '* * * * *',
    run: async (database) => {
      await resumeForgotten(database, enqueue);
      await deleteOld(database, folder);
      await deleteLeftovers(database, folder);
    },
  },
];

/** Another worker takes over. One that died may have died of this export: that counts, a lost task does not. */
function resumeForgotten(database: Database, enqueue: Enqueue) {
  return database.transaction().execute(async (tx) => {
    for (const { id, state } of await lockForgotten(tx)) {
      const goesOn = state === 'waiting' || (await countFailure(tx, id));
      if (goesOn) {
        await putBack(tx, id);
        await enqueue(tx, exportTask.name, id);
      }
      await announce(tx, { feature: 'reports', id });
    }
  });
}

/** The file first: a row without a file is found again, a file without a row is not. */
async function deleteOld(database: Database, folder: string) {
  const past = await selectPast(database);
  for (const { id } of past) await removeFile(finishedFile(folder, id));
  if (past.length === 0) return;
  await database.transaction().execute(async (tx) => {
    await deletePast(
      tx,
      past.map(({ id }) => id),
    );
    for (const { id } of past) await announce(tx, { feature: 'reports', id });
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
    const wanted =
      attempt === undefined ? known?.state === 'done' : known?.state === 'running' && known.attempt === attempt;
    if (!wanted) await removeFile(file);
  }
}
