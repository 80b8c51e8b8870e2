import type { Database } from '#server/core/db/db.ts';
import { type Enqueue, isEnqueued } from '#server/core/queue/queue.ts';
import { planTask } from './store/task-names.ts';

/** Enqueues the plans whose task was lost, for example because no worker ran for longer than the queue keeps tasks. */
export async function requeueLostPlans(database: Database, enqueue: Enqueue) {
  for (const { id } of await selectPlanning(database)) {
    if (!(await isEnqueued(database, [planTask.name], id))) await requeue(database, id, enqueue);
  }
}

/**
 * Enqueues all plans when a process starts. The task of a process that died waits until its missing heartbeat is
 * noticed, and no plan should wait that long. An extra task does no harm, because it finds the plan in hand or made.
 */
export async function requeueAllPlans(database: Database, enqueue: Enqueue) {
  for (const { id } of await selectPlanning(database)) await requeue(database, id, enqueue);
}

const selectPlanning = (database: Database) =>
  database.selectFrom('run').select('id').where('state', '=', 'planning').execute();

const requeue = (database: Database, id: string, enqueue: Enqueue) =>
  database.transaction().execute((tx) => enqueue(tx, planTask.name, id));
