import type { Database } from '#server/core/db/db.ts';
import { isUnderMaintenance } from '#server/core/db/maintenance.ts';
import { type Enqueue, isEnqueued } from '#server/core/queue/queue.ts';
import { selectGoingOn } from './store/run-queries.ts';
import { enqueueLanes } from './paying/lanes.ts';
import { payTask, planTask } from './store/task-names.ts';

/**
 * Runs that should be going on and at which nobody works: their tasks were lost, or ended because the platform was
 * under maintenance.
 */
export async function wakeRuns(database: Database, enqueue: Enqueue) {
  if (await isUnderMaintenance(database)) return;
  for (const run of await selectGoingOn(database)) {
    const asked = await isEnqueued(database, [payTask.name, planTask.name], run.id);
    if (!asked) await wake(database, { run, enqueue });
  }
}

/**
 * What a process does that has just started: the tasks of the one before it lie until their silence is noticed, and
 * nobody should wait for that. One task too many does no harm: it finds nothing to do.
 */
export async function resumeRuns(database: Database, enqueue: Enqueue) {
  for (const run of await selectGoingOn(database)) await wake(database, { run, enqueue });
}

type Waking = { run: { id: string; state: string }; enqueue: Enqueue };

function wake(database: Database, { run: { id, state }, enqueue }: Waking) {
  return database
    .transaction()
    .execute((tx) => (state === 'planning' ? enqueue(tx, planTask.name, id) : enqueueLanes(tx, id, enqueue)));
}
