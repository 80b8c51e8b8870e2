import type { Tx } from '#server/core/db/db.ts';
import type { Enqueue } from '#server/core/queue/queue.ts';
import { countChunks } from '../store/chunk-queries.ts';
import { payTask } from '../store/task-names.ts';

/** The maximum number of lanes of a run. */
const lanesAtMost = 16;
const chunksForALane = 4;

export async function enqueueLanes(tx: Tx, runId: string, enqueue: Enqueue) {
  const { open } = await countChunks(tx, runId);
  const lanes = Math.min(lanesAtMost, Math.max(1, Math.ceil(open / chunksForALane)));
  for (let lane = 0; lane < lanes; lane += 1) await enqueue(tx, payTask.name, runId);
}
