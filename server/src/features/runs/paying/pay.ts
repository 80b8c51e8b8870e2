import { setTimeout as wait } from 'node:timers/promises';
import { runKinds } from 'contract/run-kinds.ts';
import type { ChunkFailure, Reason } from 'contract/runs-reasons.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import { type Database, isTransient, type Tx } from '#server/core/db/db.ts';
import { isUnderMaintenance } from '#server/core/db/maintenance.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import { post } from '#server/core/ledger/ledger.ts';
import { postLines, reverseLines } from '#server/core/ledger/lines.ts';
import { type ChunkRow, claimChunk, readDigest, updateFailed, updatePaid } from './pay-queries.ts';
import { kinds } from '../kinds/kinds.ts';
import {
  lockRun,
  lookUpByKey,
  payingTogether,
  type RunRow,
  selectRun,
  stopPaying,
  updateRun,
} from '../store/run-queries.ts';
import { whyOutdated } from './outdated.ts';
import { countChunks } from '../store/chunk-queries.ts';
import { messageOf } from '../store/error-message.ts';

/** Completes the stakes that end with a chunk's lines, or reactivates them for a reversal. Returns how many. */
export type EndStakes = (
  tx: Tx,
  lines: { runId: string; day: string; after: string; to: string },
  to: Ending,
) => Promise<bigint>;
export type Ending = 'Completed' | 'Active';

export type PayDeps = { database: Database; endStakes: EndStakes };

/** The facts behind the plan have changed, so it must not be paid. */
class Outdated extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reason.code);
    this.reason = reason;
  }
}

/** The lines of a chunk, or what was posted for them, differ from the plan. */
class Mismatch extends Error {
  readonly failure: ChunkFailure;

  constructor(failure: ChunkFailure) {
    super(failure.code);
    this.failure = failure;
  }
}

const failuresAtMost = 3;
const pauseAfterFailureMs = 500;

/** Runs one lane: pays chunks until none is left or the run is stopped. Any number of lanes may pay one run. */
export async function payRun(deps: PayDeps, runId: string, signal: AbortSignal) {
  for (;;) {
    signal.throwIfAborted();
    const outcome = await payNext(deps, runId);
    if (outcome === 'stopped') return;
    if (outcome === 'none') {
      await finishRun(deps.database, runId);
      return;
    }
    if (outcome === 'failed') await wait(pauseAfterFailureMs, undefined, { signal });
  }
}

type Outcome = 'paid' | 'none' | 'stopped' | 'failed';

/** Pays the next chunk, if there is one. Records an error of the chunk, unless it is transient and thrown. */
export async function payNext({ database, endStakes }: PayDeps, runId: string): Promise<Outcome> {
  let claimed: ChunkRow | undefined;
  try {
    return await database.transaction().execute(async (tx) => {
      await payingTogether(tx, runId);
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
  const outdated = await whyOutdated(tx, run, { range: chunk, toFund: chunk.base + chunk.bonus + chunk.loyalty });
  if (outdated !== undefined) throw new Outdated(outdated);
  if ((await readDigest(tx, run, chunk)) !== chunk.digest) throw new Mismatch({ code: 'lines-changed', params: {} });

  const { id: runId } = run;
  const { posted, ended } = await postChunk(tx, { run, chunk, endStakes });
  if (ended !== chunk.completes) {
    const params = { ended: Number(ended), planned: Number(chunk.completes) };
    throw new Mismatch({ code: 'ended-stakes-mismatch', params });
  }
  const planned = chunk.base + chunk.bonus + chunk.loyalty + chunk.closing + chunk.returned;
  if (posted.units !== planned) {
    const params = { asset: run.asset, postedUnits: String(posted.units), plannedUnits: String(planned) };
    throw new Mismatch({ code: 'posted-mismatch', params });
  }
  await updatePaid(tx, runId, { no: chunk.no, transfers: posted.transfers });
  await announce(tx, { feature: 'runs', id: runId });
}

type Posting = {
  run: Pick<RunRow, 'id' | 'kind' | 'day' | 'asset' | 'reverses'>;
  chunk: Pick<ChunkRow, 'no' | 'after' | 'to' | 'base' | 'bonus' | 'completes'>;
  endStakes: EndStakes;
};

/**
 * Moves the money of a chunk and ends its stakes. It checks nothing and does not mark the chunk as paid: the caller
 * does. The payout benchmark sends the same statements through psql.
 */
export async function postChunk(tx: Tx, { run, chunk, endStakes }: Posting) {
  const { moves } = kinds[run.kind];
  const { id: runId, day, asset, reverses } = run;
  const lines = { runId, day, asset, after: chunk.after, to: chunk.to };
  await fund(tx, { run, chunk });
  const posted =
    reverses === null ? await postLines(tx, lines, moves) : await reverseLines(tx, { ...lines, reverses }, moves);
  const ended = chunk.completes > 0n ? await endStakes(tx, lines, reverses === null ? 'Completed' : 'Active') : 0n;
  return { posted, ended };
}

/** Posts one transfer for the whole chunk, because lanes that update the same row block each other. */
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
  return database.transaction().execute(async (tx): Promise<Outcome> => {
    const run = await stopPaying(tx, runId);
    if (run?.state !== 'running') return 'stopped';
    const why = whyRefused(error, run);
    if (why) {
      await updateRun(tx, run, { event: 'refuse', why });
      await announce(tx, { feature: 'runs', id: runId });
      await recordAudit(tx, { actorId: null, action: 'runs.refuse', subjectId: runId, details: { why } });
      return 'stopped';
    }
    const failure = failureOf(error);
    const failures = await updateFailed(tx, runId, { no, failure });
    if (failures >= failuresAtMost) {
      const params = { chunk: no, failure };
      await updateRun(tx, run, { event: 'payment failed', why: { code: 'chunk-failed', params } });
    }
    await announce(tx, { feature: 'runs', id: runId });
    return failures >= failuresAtMost ? 'stopped' : 'failed';
  });
}

/** Returns undefined if the error is a failure, which can be retried, and not a refusal. */
function whyRefused(error: unknown, { reverses }: RunRow): Reason | undefined {
  if (error instanceof Outdated) return error.reason;
  // Money that a user has spent cannot be reversed. A payment needs no balance, so there a refusal is a failure.
  if (error instanceof Refusal && reverses !== null) return { code: 'reversal-exceeds-balance', params: {} };
  return undefined;
}

function failureOf(error: unknown): ChunkFailure {
  if (error instanceof Mismatch) return error.failure;
  if (error instanceof Refusal) return { code: 'stake-exceeds-staked', params: {} };
  return { code: 'technical-error', params: { message: messageOf(error) } };
}

/** Completes the run, unless another lane is still paying a chunk. */
function finishRun(database: Database, runId: string) {
  return database.transaction().execute(async (tx) => {
    const run = await lockRun(tx, runId);
    if (run?.state !== 'running') return;
    const { open, paid } = await countChunks(tx, runId);
    if (open > 0) return;
    await updateRun(tx, run, { event: 'complete' });
    await announce(tx, { feature: 'runs', id: runId });
    const { kind, period, planHash, lines, skipped, pays } = run;
    const details = { kind, period, planHash, lines: String(lines - skipped), units: String(pays), chunks: paid };
    await recordAudit(tx, { actorId: null, action: 'runs.complete', subjectId: runId, details });
  });
}
