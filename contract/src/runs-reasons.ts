import { z } from 'zod';
import { Asset } from './core/money.ts';
import { RunKind } from './run-kinds.ts';

/**
 * Reasons are stored and sent as a code with parameters; the panel has the texts. The database keeps them permanently,
 * so a code is never renamed or removed, and a parameter that is added to a code is optional.
 */
const reason = <Code extends string, Params extends z.ZodRawShape>(code: Code, params: Params) =>
  z.object({ code: z.literal(code), params: z.object(params) });

/** Smallest units of an asset, as text because JavaScript rounds large JSON numbers. */
const Units = z.string().regex(/^-?\d+$/);
const Username = z.string();
const period = { kind: RunKind, period: z.string() };

/** Why a chunk could not be paid. */
export type ChunkFailure = z.output<typeof ChunkFailure>;
export const ChunkFailure = z.discriminatedUnion('code', [
  /** The lines of the chunk differ from the planned ones. */
  reason('lines-changed', {}),
  reason('posted-mismatch', { asset: Asset, postedUnits: Units, plannedUnits: Units }),
  reason('ended-stakes-mismatch', { ended: z.int(), planned: z.int() }),
  reason('stake-exceeds-staked', {}),
  reason('technical-error', { message: z.string() }),
  /** A sentence stored before reasons had codes. No longer written. */
  reason('text', { text: z.string() }),
]);

/** Why a run or a schedule is in its current state. */
export type Reason = z.output<typeof Reason>;
export const Reason = z.discriminatedUnion('code', [
  ...ChunkFailure.options,
  // A run was stopped or replaced.
  reason('paused', { by: Username }),
  reason('cancelled', { by: Username }),
  /** Replaced by another plan. `by` is null if the schedule made that plan. */
  reason('superseded', { by: Username.nullable() }),
  // A run was refused.
  /** The stored plan no longer matches the hash from the time it was made. */
  reason('plan-changed', {}),
  /** Lists the first few users; `more` is true if there are others. */
  reason('users-ineligible', {
    usernames: z.array(Username).min(1),
    more: z.boolean(),
    since: z.enum(['blacklisted', 'deleted', 'blacklisted-or-deleted']),
  }),
  reason('treasury-too-low', { asset: Asset, treasuryUnits: Units, neededUnits: Units }),
  reason('reversal-exceeds-balance', {}),
  // A run failed.
  reason('planning-failed', { message: z.string() }),
  /** No longer written: one failed chunk does not stop the others. */
  reason('chunk-failed', { chunk: z.int(), failure: ChunkFailure }),
  /** Everything else is paid. `failure` is that of the first of these chunks. */
  reason('chunks-failed', { chunks: z.int(), failure: ChunkFailure }),
  // A run makes no progress.
  reason('worker-missing', {}),
  reason('disk-full', {}),
  /** The name of the application that holds the lock, or null if it has none. */
  reason('waiting-for-lock', { application: z.string().nullable() }),
  reason('no-progress', {}),
  // A job was due and did not run.
  reason('no-worker', {}),
  reason('schedule-changed', {}),
  reason('schedule-disabled', {}),
  reason('run-active', period),
  reason('already-paid', period),
  reason('catching-up', {}),
  reason('not-started', {}),
  // A schedule is blocked.
  reason('payments-reversed', {}),
  reason('payments-partly-reversed', {}),
  reason('approval-denied', { by: Username, reason: z.string() }),
]);

export type ReasonCode = Reason['code'];
