import type { ApprovalKind, ApprovalState } from 'contract/approvals.ts';
import type { ApprovalFact } from 'contract/approvals-facts.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';
import { type List, listPage } from '#server/core/db/list.ts';
import type { Payload } from './payload.ts';

type Subject = { kind: ApprovalKind; subjectId: string };
type NewApproval = Subject & {
  payload: Payload;
  digest: string;
  digestVersion: number;
  requestedBy: string;
  hours: number;
};

export async function insertApproval(tx: Tx, { hours, payload, ...request }: NewApproval) {
  const expiresAt = sql<Date>`now() + ${hours} * interval '1 hour'`;
  const row = { ...request, payload: JSON.stringify(payload), expiresAt };
  return (await tx.insertInto('approval').values(row).returning('id').executeTakeFirstOrThrow()).id;
}

export async function voidWaiting(tx: Tx, { kind, subjectId }: Subject) {
  const voided = await tx
    .updateTable('approval')
    .set({ state: 'void', decidedAt: sql`now()` })
    .where('kind', '=', kind)
    .where('subjectId', '=', subjectId)
    .where('state', '=', 'waiting')
    .returning('id')
    .execute();
  return voided.map(({ id }) => id);
}

/** Expires all overdue requests, or only those of one subject, and returns their ids. */
export async function expireWaiting(tx: Tx, subject?: Subject) {
  let overdue = tx
    .updateTable('approval')
    .set({ state: 'expired', decidedAt: sql`now()` })
    .where('state', '=', 'waiting')
    .where('expiresAt', '<=', sql<Date>`now()`);
  if (subject) overdue = overdue.where('kind', '=', subject.kind).where('subjectId', '=', subject.subjectId);
  return (await overdue.returning('id').execute()).map(({ id }) => id);
}

/** Facts of version 1 have a name, later ones a key. */
type StoredPayload = { userUuid: string | null; facts: (ApprovalFact | { name: string; value: string })[] };

export type ApprovalRow = {
  id: string;
  kind: ApprovalKind;
  subject: string;
  payload: StoredPayload;
  digest: string;
  digestVersion: number;
  requestedById: string;
  requestedByName: string;
  requestedAt: Date;
  expiresAt: Date;
  state: ApprovalState;
  decidedById: string | null;
  decidedByName: string | null;
  decidedAt: Date | null;
  reason: string | null;
};

/** An overdue request is shown as expired even before the job updates its state. */
const columns = sql`
  item.kind, item.subject_id as subject, item.payload, item.digest,
  item.digest_version as "digestVersion", item.requested_by as "requestedById",
  asker.username as "requestedByName", item.requested_at as "requestedAt", item.expires_at as "expiresAt",
  case when item.state = 'waiting' and item.expires_at <= now() then 'expired' else item.state end as state,
  item.decided_by as "decidedById", decider.username as "decidedByName", item.decided_at as "decidedAt", item.reason`;

const joins = sql`
  join admin as asker on asker.id = item.requested_by
  left join admin as decider on decider.id = item.decided_by`;

type Params = { state?: ApprovalState | undefined; cursor?: string | undefined; limit: number };

export function selectPage(db: Db, { state, cursor, limit }: Params) {
  const conditions = state ? [sql<boolean>`item.state = ${sql.lit(state)}`] : [];
  const list: List = {
    rows: sql`approval`,
    columns,
    joins,
    order: { sort: '-requestedAt', column: 'requested_at', type: 'timestamptz', descending: true },
    // Administrators make these requests, so there are few enough to scan and count those of one state.
    where: [],
    searchFilter: conditions[0] && { scan: conditions[0] },
    countAll: async () =>
      Number(
        (
          await db
            .selectFrom('approval')
            .select((e) => e.fn.countAll<bigint>().as('count'))
            .executeTakeFirstOrThrow()
        ).count,
      ),
    cursor,
    limit,
  };
  return listPage<ApprovalRow>(db, list);
}

export async function selectApproval(db: Db, id: string) {
  const { rows } = await sql<ApprovalRow>`
    select item.id, ${columns} from approval as item ${joins} where item.id = ${id}::uuid`.execute(db);
  return rows[0];
}

/** The administrator who reads, and the delay after which they may approve their own requests (null: never). */
type Viewer = { adminId: string; aloneAfterSeconds: number | null };

/**
 * True for waiting requests that the administrator may approve: not about them, not older than their account, and not
 * their own, unless the installation allows that after a delay. The caller checks the permission.
 */
function approvableBy({ adminId, aloneAfterSeconds }: Viewer) {
  const ownInTime =
    aloneAfterSeconds === null
      ? sql`false`
      : sql`item.requested_at + ${aloneAfterSeconds} * interval '1 second' <= now()`;
  return sql<boolean>`(
    item.state = 'waiting' and item.expires_at > now() and item.subject_id <> ${adminId}::uuid
    and (item.requested_by <> ${adminId}::uuid or ${ownInTime})
    and item.requested_at >= (select created_at from admin where id = ${adminId}::uuid))`;
}

/** Returns those of the requests that the administrator may approve. */
export async function selectApprovable(db: Db, viewer: Viewer, ids: readonly string[]) {
  const { rows } = await sql<{ id: string }>`
    select item.id from approval as item where item.id = any(${ids}::uuid[]) and ${approvableBy(viewer)}`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Reads only the partial index on waiting requests, which has few rows. */
export async function countWaiting(db: Db, viewer: Viewer) {
  const { rows } = await sql<{ waiting: bigint; approvable: bigint }>`
    select count(*) as waiting, count(*) filter (where ${approvableBy(viewer)}) as approvable
    from approval as item where item.state = 'waiting' and item.expires_at > now()`.execute(db);
  return { waiting: Number(rows[0]?.waiting ?? 0n), approvable: Number(rows[0]?.approvable ?? 0n) };
}

/** Returns the waiting request of a subject, but not an overdue one that the job has not expired yet. */
export async function selectWaiting(db: Db, { kind, subjectId }: Subject) {
  const { rows } = await sql<ApprovalRow>`
    select item.id, ${columns} from approval as item ${joins}
    where item.kind = ${kind} and item.subject_id = ${subjectId}::uuid
      and item.state = 'waiting' and item.expires_at > now()`.execute(db);
  return rows[0];
}

/** Locks and reads a request, so that the second of two concurrent decisions sees the first. */
export async function lockApproval(tx: Tx, id: string) {
  const locked = await tx.selectFrom('approval').select('id').where('id', '=', id).forUpdate().executeTakeFirst();
  return locked && selectApproval(tx, id);
}

type Decision = { state: 'approved' | 'denied'; decidedBy: string; reason: string | null; alone: boolean };

export async function updateDecided(tx: Tx, id: string, decision: Decision) {
  await tx
    .updateTable('approval')
    .set({ ...decision, decidedAt: sql`now()` })
    .where('id', '=', id)
    .execute();
}

/** Returns whether the administrator's account was created after the request. */
export async function isNewerThan(tx: Tx, { adminId, approvalId }: { adminId: string; approvalId: string }) {
  const { rows } = await sql<{ newer: boolean }>`
    select admin.created_at > approval.requested_at as newer from admin, approval
    where admin.id = ${adminId}::uuid and approval.id = ${approvalId}::uuid`.execute(tx);
  return rows[0]?.newer ?? true;
}

/** Returns the administrators whose accounts existed at the time of the request, except the one it is about. */
export function selectAdminsBefore(db: Db, { requestedAt, subject }: Pick<ApprovalRow, 'requestedAt' | 'subject'>) {
  return db
    .selectFrom('admin')
    .select(['id', 'username', 'role', 'permissionSet'])
    .where('retiredAt', 'is', null)
    .where('createdAt', '<=', requestedAt)
    .where('id', '!=', subject)
    .orderBy('username')
    .execute();
}

export const factsOf = ({ payload }: Pick<ApprovalRow, 'payload'>): ApprovalFact[] =>
  payload.facts.map((fact) => ('key' in fact ? fact : { key: fact.name, value: fact.value }));
