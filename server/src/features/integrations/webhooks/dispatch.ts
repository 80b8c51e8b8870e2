import type { Database, Tx } from '#server/core/db/db.ts';
import type { Enqueue } from '#server/core/queue/queue.ts';
import { arrangeHeads } from './delivery-queries.ts';
import { insertDeliveries, hasWorkWithin, lockBehind, markQueued } from './dispatch-queries.ts';
import { sendTask } from './task-names.ts';

type Deps = { database: Database; enqueue: Enqueue };

const eventsAtOnce = 500;
/** A worker that has nothing to do looks again after this time, which is longer than the first delays of a retry. */
const soonSeconds = 10;

/**
 * Turns new events into deliveries, and enqueues a task for each webhook with a delivery that is due. Any number of
 * workers may call it.
 */
export async function dispatchEvents({ database, enqueue }: Deps, signal: AbortSignal) {
  const inTransaction = <T>(act: (tx: Tx) => Promise<T>) => database.transaction().execute(act);
  while (!signal.aborted && (await inTransaction(dispatchSome)));
  await inTransaction(async (tx) => {
    for (const id of await markQueued(tx)) await enqueue(tx, sendTask.name, id);
  });
  return (await hasWorkWithin(database, soonSeconds)) ? 'waiting' : 'idle';
}

/** Returns whether there was anything to dispatch. */
async function dispatchSome(tx: Tx) {
  const webhook = await lockBehind(tx);
  if (!webhook) return false;
  await insertDeliveries(tx, webhook, eventsAtOnce);
  await arrangeHeads(tx, webhook.id);
  return true;
}
