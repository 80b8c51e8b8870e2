import {
  type Approval,
  type ApprovalKind,
  type ApprovalState,
  type FourEyes,
  type ListedApproval,
  refuseApproving,
} from 'contract/approvals.ts';
import { rowsByDefault } from 'contract/core/paging.ts';
import { holds } from 'contract/core/permissions.ts';
import type { Signal } from 'contract/withdrawals-signals.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import { type Effect, withdrawRequest } from './approvals.ts';
import { digestsOfVersion1 } from './digest-v1.ts';
import { digestOf, type Payload } from './payload.ts';
import {
  type ApprovalRow,
  countWaiting,
  factsOf,
  isNewerThan,
  lockApproval,
  selectAdminsBefore,
  selectApprovable,
  selectApproval,
  selectPage,
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
  const waiting = rows.filter(({ state }) => state === 'waiting');
  const ids = waiting.map(({ id }) => id);
  const approvable = holds(actor, 'money.approve')
    ? await selectApprovable(db, { adminId: actor.id, aloneAfterSeconds }, ids)
    : new Set<string>();
  const signals = await signalsOf(db, waiting, effects);
  return rows.map((row) => ({
    ...shown(row),
    signals: signals.get(row.id) ?? [],
    mayApprove: approvable.has(row.id),
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
  const candidates = row.state === 'waiting' ? await selectAdminsBefore(db, row) : [];
  const deciders = candidates.filter(
    (admin) => holds(admin, 'money.approve') && (admin.id !== row.requestedById || aloneAfterSeconds !== null),
  );
  return { approval, aloneAfterSeconds, deciders: deciders.map(({ username }) => username) };
}

export type Effects = Record<ApprovalKind, Effect>;

type Decision = { actor: Actor; id: string; decision: 'approve' | 'deny'; digest: string; reason?: string | undefined };
type Deps = FourEyes & { effects: Effects };

/**
 * Approves or denies a request. If its subject has changed, the request becomes void, and the refusal is returned
 * instead of thrown: throwing would roll back that update.
 */
export async function decideApproval(
  tx: Tx,
  { actor, id, decision, digest, reason }: Decision,
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
  else if (!(await approve(tx, { actor, row, payload }, deps))) {
    await withdrawRequest(tx, { kind: row.kind, subjectId: row.subject });
    return { refusal: 'ApprovalVoid' };
  }

  const after = await selectApproval(tx, id);
  if (!after) throw new Error(`The approval ${id} is gone from the transaction that decided it.`);
  await announce(tx, { feature: 'approvals', id });
  const facts = factsOf(row);
  const details = { kind: row.kind, digest, facts, requestedBy: row.requestedByName, ...(reason && { reason }) };
  const action = decision === 'approve' ? 'approvals.approve' : 'approvals.deny';
  await recordAudit(tx, { actorId: actor.id, action, subjectId: row.subject, details });
  return { approval: shown(after) };
}

type Approving = { actor: Actor; row: ApprovalRow; payload: Payload | undefined };

/** Applies the request, or returns false if its payload has changed. Both subject and request must be locked. */
async function approve(tx: Tx, { actor, row, payload }: Approving, { effects, aloneAfterSeconds }: Deps) {
  const { id, kind, subject: subjectId, requestedById: requestedBy } = row;
  const refusal = refuseApproving(shown(row), { me: actor.id, now: new Date(), aloneAfterSeconds });
  if (refusal) throw new Refusal(refusal);
  // Otherwise a requester could create the account of the second approver.
  if (await isNewerThan(tx, { adminId: actor.id, approvalId: id })) throw new Refusal('TooNew');
  if (!payload || !isDigestOf(row, payload)) return false;
  // A check constraint forbids approving one's own request unless `alone` is set.
  const alone = aloneAfterSeconds !== null && requestedBy === actor.id;
  await updateDecided(tx, id, { state: 'approved', decidedBy: actor.id, reason: null, alone });
  await effects[kind].apply(tx, { subjectId, requestedBy, decidedBy: actor.id });
  return true;
}

function isDigestOf({ kind, subject, digest, digestVersion }: ApprovalRow, payload: Payload) {
  return digestVersion === 1
    ? digestsOfVersion1(kind, subject, payload).includes(digest)
    : digestOf(kind, subject, payload) === digest;
}

async function deny(tx: Tx, { actor, row, reason }: { actor: Actor; row: ApprovalRow; reason: string | undefined }) {
  if (row.state === 'expired') throw new Refusal('ApprovalExpired');
  if (row.state !== 'waiting') throw new Refusal('ApprovalDecided');
  if (!reason) throw new Refusal('ReasonRequired');
  await updateDecided(tx, row.id, { state: 'denied', decidedBy: actor.id, reason, alone: false });
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
