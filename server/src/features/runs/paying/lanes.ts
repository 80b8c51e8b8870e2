import type { Tx } from '#server/core/db/db.ts';
import type { AskFor } from '#server/core/queue/queue.ts';
import { countChunks } from '../store/chunk-queries.ts';
import { payErrand } from '../store/tasks.ts';

/** So many processes can pay one run together. */
const lanesAtMost = 16;
const chunksForALane = 4;

export async function askForLanes(tx: Tx, runId: string, askFor: AskFor) {
  const { open } = await countChunks(tx, runId);
  const lanes = Math.min(lanesAtMost, Math.max(1, Math.ceil(open / chunksForALane)));
  for (let lane = 0; lane < lanes; lane += 1) await askFor(tx, payErrand.name, runId);
}
