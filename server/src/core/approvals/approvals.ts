import type { ApprovalKind, LimitKind, Waiting } from 'contract/approvals.ts';
import { type Asset, isAboveLimit, type LimitUse } from 'contract/core/money.ts';
import type { Signal } from 'contract/withdrawals-signals.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { selectLimit } from './limit-queries.ts';
import { digestOf, digestVersion, type Payload } from './payload.ts';
import { expireWaiting, factsOf, insertApproval, selectWaiting, voidWaiting } from './queries.ts';

/** What a feature does for the kind of thing that is asked for. */
export type Effect = {
  /** Locks the subject and says what would be done to it now; nothing, where there is nothing to do any more. */
  payloadOf: (tx: Tx, subjectId: string) => Promise<Payload | undefined>;
  /** Does it. The askers and deciders are two administrators, or one who is alone. */
  apply: (tx: Tx, approved: Approved) => Promise<void>;
  /** What is unusual about these subjects now, for whoever decides. It is no part of what is approved. */
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

/** Of two who ask for the same at once, the second breaks the key of what waits. */
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

/** What was asked for is settled in another way. */
export async function withdrawRequest(tx: Tx, asked: { kind: ApprovalKind; subjectId: string }) {
  for (const id of await voidWaiting(tx, asked)) await announce(tx, { feature: 'approvals', id });
}

/** What waits for a subject, as it is told beside it. */
export async function waitingFor(db: Db, asked: { kind: ApprovalKind; subjectId: string }): Promise<Waiting | null> {
  const found = await selectWaiting(db, asked);
  return found ? { approval: found.id, facts: factsOf(found), requestedBy: found.requestedByName } : null;
}

/** Above this a second approver is needed. */
export const limitOf = (db: Db, kind: LimitKind, asset: Asset = 'USD') => selectLimit(db, { kind, asset });

type Use = Omit<LimitUse, 'limit'> & { kind: LimitKind; asset: Asset };

/**
 * Whether something is above the limit of its kind that is in force now. Where a daily sum counts, the caller holds the
 * lock of the administrator while it reads the sum and until it commits: else two at once would not see each other.
 */
export async function needsApproval(tx: Tx, { kind, asset, ...use }: Use) {
  return isAboveLimit({ limit: await limitOf(tx, kind, asset), ...use });
}
