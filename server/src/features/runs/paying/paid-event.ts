import { writeAmount } from 'contract/core/money.ts';
import type { Tx } from '#server/core/db/db.ts';
import { recordEvent } from '#server/core/outbox/outbox.ts';
import type { RunRow } from '../store/run-queries.ts';
import type { ChunkRow } from './pay-queries.ts';

/**
 * Tells receivers outside that a chunk was paid or reversed. One event per chunk and not per payment: a run pays up to
 * fifty million users, and the list of the chunk's payments names them.
 */
export async function recordPaidChunk(tx: Tx, run: RunRow, chunk: ChunkRow) {
  const count = Number(chunk.lines - chunk.skipped);
  if (count === 0) return;
  const { id: runId, kind, period, day, asset, reverses, reason } = run;
  const data = {
    runId,
    kind,
    period,
    day,
    chunk: chunk.no,
    asset,
    count,
    amount: writeAmount(chunk.base + chunk.bonus + chunk.closing, asset),
    setAside: writeAmount(chunk.loyalty, asset),
    payments: `/api/platform/runs/${runId}/chunks/${chunk.no}/payments`,
  };
  if (reverses === null) await recordEvent(tx, { type: 'payment.made', subjectId: runId, data });
  else await recordEvent(tx, { type: 'payment.reversed', subjectId: runId, data: { ...data, reverses, reason } });
}
