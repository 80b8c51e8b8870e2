import type { Approval, ApprovalKind, ApprovalState, FourEyes, ListedApproval } from 'contract/approvals.ts';
import type { Assertion } from 'contract/approvals-signature.ts';
import { rowsByDefault } from 'contract/core/paging.ts';
import { holds } from 'contract/core/permissions.ts';
import type { Signal } from 'contract/withdrawals-signals.ts';
import { sql } from 'kysely';
import { recordAudit } from '#server/core/audit/audit.ts';
import { findUnsealed } from '#server/core/audit/record-seals.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import { type Effect, withdrawRequest } from './approvals.ts';
import { digestOf, type Payload } from './payload.ts';
import { storeSignature } from './signatures.ts';
import {
  type ApprovalRow,
  countWaiting,
  factsOf,
  lockApproval,
  mayDecide,
  selectApproval,
  selectApprovers,
  selectPage,
  selectRefusals,
  updateDecided,
} from './queries.ts';

type Params = { state?: ApprovalState | undefined; cursor?: string | undefined; limit?: number | undefined };

/** The administrator who reads, and the effects that return the current signals of a request. */
type Context = Deps & { actor: Actor };

export async function listApprovals(db: Db, { limit, ...query }: Params, context: Context) {
  const { rows, ...page } = await selectPage(db, { ...query, limit: limit ?? rowsByDefault });
  return { approvals: await listed(db, rows, context), ...page, aloneAfterSeconds: context.aloneAfterSeconds };
}

export async function countApprovals(db: Db, { actor, aloneAfterSeconds }: Context) {
  const { waiting, approvable } = await countWaiting(db, { adminId: actor.id, aloneAfterSeconds });
  return { waiting, approvable: holds(actor, 'money.approve') ? approvable : 0 };
}

async function listed(db: Db, rows: readonly ApprovalRow[], context: Context): Promise<ListedApproval[]> {
  const { actor, effects, aloneAfterSeconds } = context;
  const viewer = { adminId: actor.id, aloneAfterSeconds };
  const ids = rows.map(({ id }) => id);
  const refusals = await selectRefusals(db, viewer, ids);
  const waiting = rows.filter(({ state }) => state === 'waiting');
  const signals = await signalsOf(db, waiting, effects);
  return rows.map((row) => ({
    ...shown(row),
    signals: signals.get(row.id) ?? [],
    refusal: refusals.get(row.id) ?? null,
  }));
}

/** Calls each effect once, with all requests of its kind. */
async function signalsOf(db: Db, rows: readonly ApprovalRow[], effects: Effects) {
  const found = new Map<string, Signal[]>();
  for (const kind of new Set(rows.map((row) => row.kind))) {
    const ofKind = rows.filter((row) => row.kind === kind);
    const signals = await effects[kind].signalsOf?.(
      db,
      ofKind.map(({ subject }) => subject),
    );
    for (const { id, subject } of ofKind) found.set(id, signals?.get(subject) ?? []);
  }
  return found;
}

export async function readApproval(db: Db, id: string, context: Context) {
  const { aloneAfterSeconds } = context;
  const row = await selectApproval(db, id);
  if (!row) throw new Refusal('ApprovalNotFound');
  const [approval] = await listed(db, [row], context);
  if (!approval) throw new Error(`The approval ${id} was read and is not listed.`);
  const approvers = row.state === 'waiting' ? await selectApprovers(db, id, aloneAfterSeconds) : [];
  return { approval, aloneAfterSeconds, approvers };
}

export type Effects = Record<ApprovalKind, Effect>;

type Decision = {
  actor: Actor;
  id: string;
  decision: 'approve' | 'deny';
  digest: string;
  reason?: string | undefined;
  assertion?: Assertion | undefined;
};
type Deps = FourEyes & { effects: Effects };

/**
 * Approves or denies a request. If its subject has changed, the request becomes void, and the refusal is returned
 * instead of thrown: throwing would roll back that update.
 */
export async function decideApproval(
  tx: Tx,
  { actor, id, decision, digest, reason, assertion }: Decision,
  deps: Deps,
): Promise<{ approval: Approval } | { refusal: 'ApprovalVoid' }> {
  const found = await selectApproval(tx, id);
  if (!found) throw new Refusal('ApprovalNotFound');
  // The subject is locked before the request, as in all code that decides a subject and then withdraws its request.
  const payload = decision === 'approve' ? await deps.effects[found.kind].payloadOf(tx, found.subject) : undefined;
  const row = await lockApproval(tx, id);
  if (!row) throw new Refusal('ApprovalNotFound');
  if (row.digest !== digest) throw new Refusal('ApprovalVoid');
  if (decision === 'deny') await deny(tx, { actor, row, reason });
  else if (!(await approve(tx, { actor, row, payload, assertion }, deps))) {
    await withdrawRequest(tx, { kind: row.kind, subjectId: row.subject });
    return { refusal: 'ApprovalVoid' };
  }

  const after = await selectApproval(tx, id);
  if (!after) throw new Error(`The approval ${id} is gone from the transaction that decided it.`);
  await announce(tx, { feature: 'approvals', id });
  const facts = factsOf(row);
  const details = {
    approval: id,
    kind: row.kind,
    digest,
    facts,
    requestedBy: row.requestedByName,
    ...(reason && { reason }),
  };
  const action = decision === 'approve' ? 'approvals.approve' : 'approvals.deny';
  await recordAudit(tx, { actorId: actor.id, action, subjectId: row.subject, details });
  return { approval: shown(after) };
}

type Approving = Pick<Decision, 'actor' | 'assertion'> & { row: ApprovalRow; payload: Payload | undefined };

/** Applies the request, or returns false if its payload has changed. Both subject and request must be locked. */
async function approve(tx: Tx, { actor, row, payload, assertion }: Approving, { effects, aloneAfterSeconds }: Deps) {
  const { id, kind, subject: subjectId, requestedById: requestedBy } = row;
  const refusals = await selectRefusals(tx, { adminId: actor.id, aloneAfterSeconds }, [id]);
  const refusal = refusals.get(id);
  if (refusal) throw new Refusal(refusal);
  if (!payload || digestOf(kind, subjectId, payload) !== row.digest) return false;
  // The request stays as it is, so that a verification names it. The decision would give it a genuine seal.
  if ((await findUnsealed(tx, 'approval', sql`it.id = ${id}::uuid`)).length > 0) throw new Refusal('ApprovalForged');
  await storeSignature(tx, { adminId: actor.id, request: row, assertion });
  const rule = requestedBy === actor.id ? 'single' : 'second';
  await updateDecided(tx, id, { state: 'approved', rule, decidedBy: actor.id });
  await effects[kind].apply(tx, { approvalId: id, subjectId, requestedBy, decidedBy: actor.id });
  return true;
}

type Denying = { actor: Actor; row: ApprovalRow; reason: string | undefined };

/** Anyone who may decide this kind of request may deny it, even its requester, but not the one whom it would remove. */
async function deny(tx: Tx, { actor, row, reason }: Denying) {
  if (!(await mayDecide(tx, { kind: row.kind, adminId: actor.id }))) throw new Refusal('ApproverNotPermitted');
  const removes = row.kind === 'demotion' || row.kind === 'removal';
  if (removes && row.subject === actor.id) throw new Refusal('OwnAccount');
  if (row.state === 'expired') throw new Refusal('ApprovalExpired');
  if (row.state !== 'waiting') throw new Refusal('ApprovalDecided');
  if (!reason) throw new Refusal('ReasonRequired');
  await updateDecided(tx, row.id, { state: 'denied', decidedBy: actor.id, reason });
}

function shown({ payload, requestedById, requestedByName, decidedById, decidedByName, ...row }: ApprovalRow): Approval {
  return {
    id: row.id,
    kind: row.kind,
    subject: row.subject,
    userUuid: payload.userUuid,
    facts: factsOf({ payload }),
    digest: row.digest,
    requestedBy: { id: requestedById, username: requestedByName },
    requestedAt: row.requestedAt,
    expiresAt: row.expiresAt,
    state: row.state,
    decidedBy: decidedById === null ? null : { id: decidedById, username: decidedByName ?? '' },
    decidedAt: row.decidedAt,
    reason: row.reason,
  };
}
