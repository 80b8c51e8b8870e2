import { z } from 'zod';
import { Asset } from './core/money.ts';
import { RunKind } from './run-kinds.ts';

/**
 * Reasons are stored and sent as a code with its parameters; only the panel has words for them. The database keeps them
 * for good: a code is never renamed or removed, and a parameter that is added to a code is optional.
 */
const reason = <Code extends string, Params extends z.ZodRawShape>(code: Code, params: Params) =>
  z.object({ code: z.literal(code), params: z.object(params) });

/** The smallest units of an asset, as text: JavaScript would round a JSON number of that size. */
const Units = z.string().regex(/^-?\d+$/);
const Username = z.string();
const period = { kind: RunKind, period: z.string() };

/** Why a chunk could not be paid. */
export type ChunkFailure = z.output<typeof ChunkFailure>;
export const ChunkFailure = z.discriminatedUnion('code', [
  /** Its lines are not those that were planned. */
  reason('lines-changed', {}),
  reason('posted-mismatch', { asset: Asset, postedUnits: Units, plannedUnits: Units }),
  reason('ended-stakes-mismatch', { ended: z.int(), planned: z.int() }),
  reason('stake-exceeds-staked', {}),
  reason('technical-error', { message: z.string() }),
  /** A sentence that was stored before reasons had codes. Nothing writes it any more. */
  reason('text', { text: z.string() }),
]);

/** Why a run or a schedule is as it is. */
export type Reason = z.output<typeof Reason>;
export const Reason = z.discriminatedUnion('code', [
  ...ChunkFailure.options,
  // Of a run that was stopped or replaced.
  reason('paused', { by: Username }),
  reason('cancelled', { by: Username }),
  /** Replaced by another plan; without a name by one of the schedule. */
  reason('superseded', { by: Username.nullable() }),
  // Of a run that was refused.
  /** The plan that is stored does not have the hash that it had when it was made. */
  reason('plan-changed', {}),
  /** The first few users, and whether there are more. */
  reason('users-ineligible', {
    usernames: z.array(Username).min(1),
    more: z.boolean(),
    since: z.enum(['blacklisted', 'deleted', 'blacklisted-or-deleted']),
  }),
  reason('treasury-too-low', { asset: Asset, treasuryUnits: Units, neededUnits: Units }),
  reason('reversal-exceeds-balance', {}),
  // Of a run that failed.
  reason('planning-failed', { message: z.string() }),
  reason('chunk-failed', { chunk: z.int(), failure: ChunkFailure }),
  // Of a time at which a job was due and did not run.
  reason('no-worker', {}),
  reason('schedule-changed', {}),
  reason('schedule-disabled', {}),
  reason('run-active', period),
  reason('already-paid', period),
  reason('catching-up', {}),
  reason('not-started', {}),
  // Of a schedule that is blocked.
  reason('payments-reversed', {}),
  reason('payments-partly-reversed', {}),
  reason('approval-denied', { by: Username, reason: z.string() }),
]);

export type ReasonCode = Reason['code'];
