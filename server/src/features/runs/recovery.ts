import type { Database } from '#server/core/db/db.ts';
import { isUnderMaintenance } from '#server/core/db/maintenance.ts';
import { type Enqueue, isEnqueued } from '#server/core/queue/queue.ts';
import { enqueueLanes } from './paying/lanes.ts';
import { selectGoingOn } from './store/run-queries.ts';
import { payTask, planTask } from './store/task-names.ts';

/**
 * Enqueues the runs that should be in progress but have no task: the task was lost, or it ended because the platform
 * was under maintenance.
 */
export async function requeueStalledRuns(database: Database, enqueue: Enqueue) {
  if (await isUnderMaintenance(database)) return;
  for (const run of await selectGoingOn(database)) {
    const isQueued = await isEnqueued(database, [payTask.name, planTask.name], run.id);
    if (!isQueued) await requeue(database, { run, enqueue });
  }
}

/**
 * Enqueues all runs in progress when a process starts. The tasks of a process that died wait until its missing
 * heartbeat is noticed, and no run should wait that long. An extra task does no harm, because it finds nothing to do.
 */
export async function requeueAllRuns(database: Database, enqueue: Enqueue) {
  for (const run of await selectGoingOn(database)) await requeue(database, { run, enqueue });
}

type Requeued = { run: { id: string; state: string }; enqueue: Enqueue };

function requeue(database: Database, { run: { id, state }, enqueue }: Requeued) {
  return database
    .transaction()
    .execute((tx) => (state === 'planning' ? enqueue(tx, planTask.name, id) : enqueueLanes(tx, id, enqueue)));
}
