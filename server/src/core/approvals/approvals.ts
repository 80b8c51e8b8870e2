import { type ApprovalKind, hoursUntilConfirmed, type Waiting } from 'contract/approvals.ts';
import type { Asset } from 'contract/core/money.ts';
import type { Signal } from 'contract/withdrawals-signals.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import { type Db, shareLockFor, type Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { digestOf, digestVersion, type Payload } from './payload.ts';
import {
  expireWaiting,
  factsOf,
  insertApproval,
  isWithinLimit,
  limitsLock,
  lockLimitOf,
  selectWaiting,
  updateDecided,
  voidWaiting,
} from './queries.ts';

/** How a feature describes and applies one kind of request. */
export type Effect = {
  /** Locks the subject and returns what would be done to it now, or undefined if nothing is left to do. */
  payloadOf: (tx: Tx, subjectId: string) => Promise<Payload | undefined>;
  /** Applies the request. `requestedBy` and `decidedBy` differ unless the installation has one administrator. */
  apply: (tx: Tx, approved: Approved) => Promise<void>;
  /** Returns the current risk signals of these subjects, for the approver. They are not part of the payload. */
  signalsOf?: (db: Db, subjectIds: readonly string[]) => Promise<Signals>;
};
export type Signals = ReadonlyMap<string, Signal[]>;
type Approved = { approvalId: string; subjectId: string; requestedBy: string; decidedBy: string };

const hoursToDecide: Record<ApprovalKind, number> = {
  withdrawal: 2,
  adjustment: 2,
  task: 2,
  run: 2,
  grant: 2,
  demotion: 2,
  removal: 2,
  repair: 2,
  settings: 7 * 24,
  limit: 7 * 24,
  plan: 7 * 24,
  promotion: 7 * 24,
  // An account that nobody has confirmed or denied by then may approve: the same as `approves_from` in the database.
  account: hoursUntilConfirmed,
  key: 7 * 24,
  reveal: 2,
  // The requester completes it within the same time.
  recovery: 24,
};

/** What a decision lets move. The database allows exactly this amount to move. */
type Moved = { asset: Asset; units: bigint };
type Request = { kind: ApprovalKind; subjectId: string; payload: Payload };
type Params = Request & { requestedBy: string; moves?: Moved };

/** Creates a request and returns its id. Violates the key `approval_waiting` if one waits for the same subject. */
export async function requestApproval(tx: Tx, { requestedBy, ...request }: Params) {
  const id = await insert(tx, { ...request, requestedBy });
  await announce(tx, { feature: 'approvals', id });
  return id;
}

async function insert(
  tx: Tx,
  { kind, subjectId, payload, requestedBy, moves }: Request & { requestedBy: string | null; moves?: Moved },
) {
  await expireWaiting(tx, { kind, subjectId });
  return insertApproval(tx, {
    kind,
    subjectId,
    payload,
    digest: digestOf(kind, subjectId, payload),
    digestVersion,
    requestedBy,
    ...moves,
    hours: hoursToDecide[kind],
  });
}

/** Keeps the limits from changing until the decision commits, so that what is within a limit stays within it. */
const keepLimits = (tx: Tx) => shareLockFor(tx, limitsLock);

/**
 * Decides a payment for an administrator who may still move this amount alone today, and returns 'decided'. Above the
 * limit, requests a second approval and returns 'requested'.
 */
export async function decideOrRequest(tx: Tx, request: Request & { actor: Actor; moves: Moved }) {
  const { actor, ...rest } = request;
  await lockLimitOf(tx, actor.id);
  await keepLimits(tx);
  const id = await insert(tx, { ...rest, requestedBy: actor.id });
  if (await isWithinLimit(tx, id)) {
    await updateDecided(tx, id, { state: 'approved', rule: 'limit', decidedBy: actor.id });
    return 'decided' as const;
  }
  await announce(tx, { feature: 'approvals', id });
  return 'requested' as const;
}

/** Decides a scheduled run up to the limit of the schedule. Returns whether it did. */
export async function decideOnSchedule(tx: Tx, request: Omit<Request, 'kind'> & { moves: Moved }) {
  await keepLimits(tx);
  const id = await insert(tx, { ...request, kind: 'run', requestedBy: null });
  const isDecided = await isWithinLimit(tx, id);
  await updateDecided(tx, id, isDecided ? { state: 'approved', rule: 'schedule' } : { state: 'void' });
  return isDecided;
}

/** Makes the waiting request of a subject void, because the subject was decided in another way. */
export async function withdrawRequest(tx: Tx, subject: { kind: ApprovalKind; subjectId: string }) {
  for (const id of await voidWaiting(tx, subject)) await announce(tx, { feature: 'approvals', id });
}

/** Returns the waiting request of a subject as the contract describes it, or null. */
export async function waitingFor(db: Db, subject: { kind: ApprovalKind; subjectId: string }): Promise<Waiting | null> {
  const found = await selectWaiting(db, subject);
  return found ? { approval: found.id, facts: factsOf(found), requestedBy: found.requestedByName } : null;
}
