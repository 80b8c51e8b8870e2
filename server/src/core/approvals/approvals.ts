import type { ApprovalKind, LimitKind, Waiting } from 'contract/approvals.ts';
import { type Asset, isAboveLimit, type LimitUse } from 'contract/core/money.ts';
import type { Signal } from 'contract/withdrawals-signals.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { selectLimit } from './limit-queries.ts';
import { digestOf, digestVersion, type Payload } from './payload.ts';
import { expireWaiting, factsOf, insertApproval, selectWaiting, voidWaiting } from './queries.ts';

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
type Approved = { subjectId: string; requestedBy: string; decidedBy: string };

const hoursToDecide: Record<ApprovalKind, number> = {
  withdrawal: 2,
  adjustment: 2,
  task: 2,
  run: 2,
  grant: 2,
  repair: 2,
  settings: 7 * 24,
  limit: 7 * 24,
  plan: 7 * 24,
};

type Params = { kind: ApprovalKind; subjectId: string; payload: Payload; requestedBy: string };

/** Creates a request and returns its id. Violates the key `approval_waiting` if one waits for the same subject. */
export async function requestApproval(tx: Tx, { kind, subjectId, payload, requestedBy }: Params) {
  await expireWaiting(tx, { kind, subjectId });
  const digest = digestOf(kind, subjectId, payload);
  const id = await insertApproval(tx, {
    kind,
    subjectId,
    payload,
    digest,
    digestVersion,
    requestedBy,
    hours: hoursToDecide[kind],
  });
  await announce(tx, { feature: 'approvals', id });
  return id;
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

/** Returns the amount above which a second approver is needed. */
export const limitOf = (db: Db, kind: LimitKind, asset: Asset = 'USD') => selectLimit(db, { kind, asset });

type Use = Omit<LimitUse, 'limit'> & { kind: LimitKind; asset: Asset };

/**
 * Returns whether an amount is above the current limit of its kind. A caller that passes a daily sum must hold the lock
 * of the administrator from reading the sum until it commits; otherwise concurrent calls would not see each other.
 */
export async function needsApproval(tx: Tx, { kind, asset, ...use }: Use) {
  return isAboveLimit({ limit: await limitOf(tx, kind, asset), ...use });
}
