import { setTimeout as wait } from 'node:timers/promises';
import { runKinds } from 'contract/run-kinds.ts';
import type { ChunkFailure, Reason } from 'contract/runs-reasons.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import { type Database, isTransient, type Tx } from '#server/core/db/db.ts';
import { isUnderMaintenance } from '#server/core/db/maintenance.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import { post } from '#server/core/ledger/ledger.ts';
import { holdEarlyEnds, postLines, reverseLines } from '#server/core/ledger/lines.ts';
import { bookReceivables, settleReceivables } from '#server/core/ledger/receivables.ts';
import { announcerOf } from './announcer.ts';
import { whyUncovered } from './cover.ts';
import {
  type ChunkRow,
  claimChunk,
  countOpen,
  type Dropped,
  dropIneligible,
  readDigest,
  selectRunning,
  updateFailed,
  updatePaid,
} from './pay-queries.ts';
import { kinds } from '../kinds/kinds.ts';
import { recordPaidChunk } from './paid-event.ts';
import { lockRun, lookUpByKey, sharingRun, type RunRow, selectRun, updateRun } from '../store/run-queries.ts';
import { countChunks } from '../store/chunk-queries.ts';
import { messageOf } from '../store/error-message.ts';
import { recordInterruption } from '../store/interruption.ts';

/** Completes the stakes that end with a chunk's lines, or reactivates them for a reversal. Returns how many. */
export type EndStakes = (
  tx: Tx,
  lines: { runId: string; day: string; after: string; to: string; hasDropped: boolean },
  to: Ending,
) => Promise<bigint>;
export type Ending = 'Completed' | 'Active';

export type PayDeps = { database: Database; endStakes: EndStakes };

/** The whole run must not be paid: its plan was changed, or the treasury no longer covers it. */
class Refused extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reason.code);
    this.reason = reason;
  }
}

/** What was posted for a chunk differs from its plan. */
class Mismatch extends Error {
  readonly failure: ChunkFailure;

  constructor(failure: ChunkFailure) {
    super(failure.code);
    this.failure = failure;
  }
}

const pauseAfterFailureMs = 500;

/** Whether anything is left to pay: nothing, or only chunks that other workers are paying. */
type Rest = 'idle' | 'waiting';

/** Pays chunks of all running runs until none can be claimed or the signal aborts. Any number of workers may call it. */
export async function payRuns(deps: PayDeps, signal: AbortSignal): Promise<Rest> {
  const progress = announcerOf(deps.database);
  try {
    for (;;) {
      if (signal.aborted) return 'idle';
      const outcome = await payNext(deps);
      if (outcome === 'idle' || outcome === 'waiting') return outcome;
      if (outcome === 'failed') await wait(pauseAfterFailureMs, undefined, { signal }).catch(() => undefined);
      else await progress.note(outcome.runId);
    }
  } finally {
    await progress.flush();
  }
}

type Outcome = { runId: string } | 'failed' | Rest;

/**
 * Pays one chunk: of the run with the least left to pay, or of the next one if other workers hold all its chunks. So a
 * small run waits for a chunk of a large one, and not for all of it. An error that is not the chunk's own is thrown
 * after the other runs had their turn.
 */
export async function payNext(deps: PayDeps): Promise<Outcome> {
  const { database } = deps;
  const errors: unknown[] = [];
  let rest: Rest = 'idle';
  for (const { id: runId } of await selectRunning(database)) {
    try {
      const result = await payChunkOf(deps, runId);
      if (result === 'paid') return { runId };
      if (result === 'failed') return result;
      if (result === 'none' && !(await finishRun(database, runId))) rest = 'waiting';
    } catch (error) {
      await recordInterruption(database, runId, error);
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return rest;
}

type Result = 'paid' | 'none' | 'stopped' | 'failed';

/** Pays the next chunk of a run, if there is one. Records an error of the chunk, unless it is transient and thrown. */
async function payChunkOf({ database, endStakes }: PayDeps, runId: string): Promise<Result> {
  let claimed: ChunkRow | undefined;
  try {
    return await database.transaction().execute(async (tx) => {
      await sharingRun(tx, runId);
      await lookUpByKey(tx);
      const run = await selectRun(tx, runId);
      if (run?.state !== 'running' || (await isUnderMaintenance(tx))) return 'stopped';
      claimed = await claimChunk(tx, runId);
      if (!claimed) return 'none';
      await payChunk(tx, { run, chunk: claimed, endStakes });
      return 'paid';
    });
  } catch (error) {
    if (!claimed || isTransient(error)) throw error;
    return recordFailure(database, { runId, no: claimed.no, error });
  }
}

type Paying = { run: RunRow; chunk: ChunkRow; endStakes: EndStakes };

/** Pays a chunk atomically: the transfers, the stakes that end, and the mark that it is paid. */
async function payChunk(tx: Tx, { run, chunk, endStakes }: Paying) {
  await holdEarlyEnds(tx);
  if ((await readDigest(tx, run, chunk)) !== chunk.digest) throw new Refused({ code: 'plan-changed', params: {} });
  const dropped = await dropIneligible(tx, run, chunk);
  const due = without(chunk, dropped);
  const uncovered = await whyUncovered(tx, run, due.base + due.bonus + due.loyalty);
  if (uncovered !== undefined) throw new Refused(uncovered);

  const { id: runId } = run;
  const { posted, ended } = await postChunk(tx, { run, chunk: due, hasDropped: dropped.lines > 0n, endStakes });
  if (ended !== due.completes) {
    const params = { ended: Number(ended), planned: Number(due.completes) };
    throw new Mismatch({ code: 'ended-stakes-mismatch', params });
  }
  const planned = due.base + due.bonus + due.loyalty + due.closing + due.returned;
  if (posted.units !== planned) {
    const params = { asset: run.asset, postedUnits: String(posted.units), plannedUnits: String(planned) };
    throw new Mismatch({ code: 'posted-mismatch', params });
  }
  await updatePaid(tx, runId, { no: chunk.no, transfers: posted.transfers, dropped });
  await recordPaidChunk(tx, run, { ...due, lines: chunk.lines - dropped.lines });
}

/** The amounts of a chunk that are left to pay. */
const without = (chunk: ChunkRow, dropped: Dropped): ChunkRow => ({
  ...chunk,
  base: chunk.base - dropped.base,
  bonus: chunk.bonus - dropped.bonus,
  loyalty: chunk.loyalty - dropped.loyalty,
  closing: chunk.closing - dropped.closing,
  completes: chunk.completes - dropped.completes,
  returned: chunk.returned - dropped.returned,
});

type Posting = {
  run: Pick<RunRow, 'id' | 'kind' | 'day' | 'asset' | 'reverses' | 'collects'>;
  chunk: Pick<ChunkRow, 'no' | 'after' | 'to' | 'base' | 'bonus' | 'completes'>;
  hasDropped: boolean;
  endStakes: EndStakes;
};

/**
 * Moves the money of a chunk and ends its stakes. It checks nothing and does not mark the chunk as paid: the caller
 * does. The payout benchmark sends the same statements through psql.
 */
export async function postChunk(tx: Tx, { run, chunk, hasDropped, endStakes }: Posting) {
  const { moves } = kinds[run.kind];
  const { id: runId, day, asset, reverses } = run;
  const lines = { runId, day, asset, after: chunk.after, to: chunk.to, hasDropped };
  await fund(tx, { run, chunk });
  if (reverses !== null) await bookReceivables(tx, lines);
  const posted =
    reverses === null ? await postLines(tx, lines, moves) : await reverseLines(tx, { ...lines, reverses }, moves);
  if (reverses === null) await settleReceivables(tx, lines, { moves, collects: run.collects });
  const ended = chunk.completes > 0n ? await endStakes(tx, lines, reverses === null ? 'Completed' : 'Active') : 0n;
  return { posted, ended };
}

/** Posts one transfer for the whole chunk, because workers that update the same row block each other. */
async function fund(tx: Tx, { run, chunk }: Pick<Posting, 'run' | 'chunk'>) {
  const units = chunk.base + chunk.bonus;
  if (units === 0n) return;
  const account = runKinds[run.kind].fundedAccount;
  const accounts =
    run.reverses === null
      ? ({ debit: 'treasury', credit: account } as const)
      : ({ debit: account, credit: 'treasury' } as const);
  const { day, asset } = run;
  await post(tx, [{ kind: 'funding', causeId: run.id, part: chunk.no, userId: null, day, asset, units, ...accounts }]);
}

type Failure = { runId: string; no: number; error: unknown };

/** Records a failure in a new transaction, because the one that failed is rolled back. */
function recordFailure(database: Database, { runId, no, error }: Failure) {
  return database.transaction().execute(async (tx): Promise<Result> => {
    const run = await lockRun(tx, runId);
    if (run?.state !== 'running') return 'stopped';
    if (error instanceof Refused) {
      const { reason: why } = error;
      await updateRun(tx, run, { event: 'refuse', why });
      await announce(tx, { feature: 'runs', id: runId });
      await recordAudit(tx, { actorId: null, action: 'runs.refuse', subjectId: runId, details: { why } });
      return 'stopped';
    }
    await updateFailed(tx, runId, { no, failure: failureOf(error) });
    await announce(tx, { feature: 'runs', id: runId });
    return 'failed';
  });
}

function failureOf(error: unknown): ChunkFailure {
  if (error instanceof Mismatch) return error.failure;
  if (error instanceof Refusal) return { code: 'stake-exceeds-staked', params: {} };
  return { code: 'technical-error', params: { message: messageOf(error) } };
}

/**
 * Ends the run and returns whether it is over or stopped, unless another worker is still paying a chunk. Chunks that
 * failed too often stay open: an administrator can retry them, and everyone else is paid.
 */
function finishRun(database: Database, runId: string) {
  return database.transaction().execute(async (tx) => {
    const run = await lockRun(tx, runId);
    if (run?.state !== 'running') return true;
    const { payable, failed, failure } = await countOpen(tx, runId);
    if (payable > 0) return false;
    if (failure) {
      const params = { chunks: failed, failure };
      await updateRun(tx, run, { event: 'payment failed', why: { code: 'chunks-failed', params } });
    } else await updateRun(tx, run, { event: 'complete' });
    await announce(tx, { feature: 'runs', id: runId });
    const { paid } = await countChunks(tx, runId);
    const { kind, period, planHash, lines, skipped, pays } = run;
    const planned = { kind, period, planHash, lines: String(lines - skipped), units: String(pays) };
    const action = failure ? 'runs.fail' : 'runs.complete';
    const details = { ...planned, chunks: paid, ...(failure && { open: failed }) };
    await recordAudit(tx, { actorId: null, action, subjectId: runId, details });
    return true;
  });
}
