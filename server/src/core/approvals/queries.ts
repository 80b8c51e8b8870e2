import type { ApprovalKind, ApprovalState, ApproveRefusal, LimitKind } from 'contract/approvals.ts';
import type { ApprovalFact } from 'contract/approvals-facts.ts';
import type { Asset } from 'contract/core/money.ts';
import { sql } from 'kysely';
import { sealRecords } from '#server/core/audit/record-seals.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { type List, listPage } from '#server/core/db/list.ts';
import type { Payload } from './payload.ts';

type Subject = { kind: ApprovalKind; subjectId: string };
type NewApproval = Subject & {
  payload: Payload;
  digest: string;
  digestVersion: number;
  /** Null for a decision of the schedule. */
  requestedBy: string | null;
  asset?: Asset;
  units?: bigint;
  hours: number;
};

export async function insertApproval(tx: Tx, { hours, payload, ...request }: NewApproval) {
  const expiresAt = sql<Date>`now() + ${hours} * interval '1 hour'`;
  const row = { ...request, payload: JSON.stringify(payload), expiresAt };
  const { id } = await tx.insertInto('approval').values(row).returning('id').executeTakeFirstOrThrow();
  await sealRecords(tx, 'approval', [id]);
  return id;
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

/** Facts of requests that were made before facts had keys have a name. */
type StoredPayload = { userUuid: string | null; facts: (ApprovalFact | { name: string; value: string })[] };

export type ApprovalRow = {
  id: string;
  kind: ApprovalKind;
  subject: string;
  payload: StoredPayload;
  digest: string;
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
  item.kind, item.subject_id as subject, item.payload, item.digest, item.requested_by as "requestedById",
  requester.username as "requestedByName", item.requested_at as "requestedAt", item.expires_at as "expiresAt",
  case when item.state = 'waiting' and item.expires_at <= now() then 'expired' else item.state end as state,
  item.decided_by as "decidedById", decider.username as "decidedByName", item.decided_at as "decidedAt", item.reason`;

const joins = sql`
  join admin as requester on requester.id = item.requested_by
  left join admin as decider on decider.id = item.decided_by`;

type Params = { state?: ApprovalState | undefined; cursor?: string | undefined; limit: number };

/** Decisions that needed no second approver are not listed: there are as many as there are small withdrawals. */
const isListed = sql<boolean>`(item.rule is null or item.rule in ('second', 'single')) and item.requested_by is not null`;

export function selectPage(db: Db, { state, cursor, limit }: Params) {
  const list: List = {
    rows: sql`approval`,
    columns,
    joins,
    order: { sort: '-requestedAt', column: 'requested_at', type: 'timestamptz', descending: true },
    where: [isListed],
    // Administrators make these requests, so there are few enough to scan and count those of one state.
    searchFilter: state && { scan: sql<boolean>`item.state = ${sql.lit(state)}` },
    countAll: async () => {
      const { rows } = await sql<{ count: bigint }>`
        select count(*) from approval as item where ${isListed}`.execute(db);
      return Number(rows[0]?.count ?? 0n);
    },
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

const refusalFor = (adminId: ReturnType<typeof sql>, aloneAfterSeconds: number | null) =>
  sql<ApproveRefusal | null>`refuse_approving(item, ${adminId}, ${aloneAfterSeconds} * interval '1 second')`;

/** Returns for each of the requests why the administrator cannot approve it, or null. */
export async function selectRefusals(db: Db, { adminId, aloneAfterSeconds }: Viewer, ids: readonly string[]) {
  const { rows } = await sql<{ id: string; refusal: ApproveRefusal | null }>`
    select item.id, ${refusalFor(sql`${adminId}::uuid`, aloneAfterSeconds)} as refusal
    from approval as item where item.id = any(${ids}::uuid[])`.execute(db);
  return new Map(rows.map(({ id, refusal }) => [id, refusal]));
}

/** Reads only the partial index on waiting requests, which has few rows. */
export async function countWaiting(db: Db, { adminId, aloneAfterSeconds }: Viewer) {
  const { rows } = await sql<{ waiting: bigint; approvable: bigint }>`
    select count(*) as waiting,
      count(*) filter (where ${refusalFor(sql`${adminId}::uuid`, aloneAfterSeconds)} is null) as approvable
    from approval as item where item.state = 'waiting' and item.expires_at > now()`.execute(db);
  return { waiting: Number(rows[0]?.waiting ?? 0n), approvable: Number(rows[0]?.approvable ?? 0n) };
}

type Approver = { username: string; refusal: ApproveRefusal | null; from: Date | null };

/** Returns the administrators who have the permission to approve the request, and why some of them cannot. */
export async function selectApprovers(db: Db, id: string, aloneAfterSeconds: number | null) {
  const { rows } = await sql<Approver>`
    select username, refusal,
      case when refusal = 'AccountUnconfirmed' then nullif(approves_from(id), 'infinity') end as "from"
    from (
      select admin.id, admin.username, ${refusalFor(sql`admin.id`, aloneAfterSeconds)} as refusal
      from approval as item, admin where item.id = ${id}::uuid and admin.retired_at is null
    ) as candidate
    where refusal is distinct from 'ApproverNotPermitted'
    order by username`.execute(db);
  return rows;
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

type Decision =
  | { state: 'approved'; rule: 'second' | 'single' | 'limit'; decidedBy: string }
  | { state: 'approved'; rule: 'schedule' }
  | { state: 'denied'; decidedBy: string; reason: string }
  | { state: 'void' };

/** Decides a request. The database refuses a decision that its rule does not allow. */
export async function updateDecided(tx: Tx, id: string, decision: Decision) {
  await tx
    .updateTable('approval')
    .set({ ...decision, decidedAt: sql`now()` })
    .where('id', '=', id)
    .execute();
  await sealRecords(tx, 'approval', [id]);
}

/** Held by decisions that depend on the limits, in shared mode, and by a change of a limit. */
export const limitsLock = 'approvals.limits';

/** Runs the decisions of one administrator one at a time, so that each sees the sum of the others. */
export const lockLimitOf = (tx: Tx, adminId: string) => sql`select lock_limit_of(${adminId}::uuid)`.execute(tx);

/** Returns whether the maker of a request, or the schedule, may decide it without a second approver. */
export async function isWithinLimit(tx: Tx, id: string) {
  const { rows } = await sql<{ within: boolean }>`
    select is_within_limit(item) as within from approval as item where id = ${id}::uuid`.execute(tx);
  return rows[0]?.within ?? false;
}

/** Returns what an administrator may move alone in a day: nothing while the account is not confirmed. */
export async function selectAloneLimit(db: Db, adminId: string, asset: Asset) {
  const { rows } = await sql<{ units: bigint }>`
    select alone_limit_of(${adminId}::uuid, ${asset}::asset) as units`.execute(db);
  return rows[0]?.units ?? 0n;
}

/** Returns what an administrator has moved alone since midnight UTC. */
export async function selectMovedAloneToday(db: Db, adminId: string, asset: Asset) {
  const { rows } = await sql<{ units: bigint }>`
    select moved_alone_today(${adminId}::uuid, ${asset}::asset, null) as units`.execute(db);
  return rows[0]?.units ?? 0n;
}

/** Returns the limit in force. An asset without a limit has the limit 0. */
export async function selectLimit(db: Db, { kind, asset }: { kind: LimitKind; asset: Asset }) {
  const { rows } = await sql<{ units: bigint }>`
    select limit_of(${kind}::limit_kind, ${asset}::asset) as units`.execute(db);
  return rows[0]?.units ?? 0n;
}

export type NewAuthority = {
  adminId: string;
  cause: 'created' | 'widened' | 'password';
  /** Null for an account from the command line of the server. */
  givenBy: string | null;
  /** The request by which another approver confirms the account. */
  approvalId?: string;
};

export async function insertAuthority(tx: Tx, authority: NewAuthority) {
  const { id } = await tx.insertInto('adminAuthority').values(authority).returning('id').executeTakeFirstOrThrow();
  await sealRecords(tx, 'authority', [id]);
}

/** Returns whether the account can approve requests now. */
export async function isApprover(db: Db, adminId: string) {
  const { rows } = await sql<{ isOne: boolean }>`select is_approver(${adminId}::uuid) as "isOne"`.execute(db);
  return rows[0]?.isOne ?? false;
}

/** Returns whether the administrator has the permission to approve requests of this kind, whoever made them. */
export async function mayDecide(db: Db, { kind, adminId }: { kind: ApprovalKind; adminId: string }) {
  const { rows } = await sql<{ may: boolean }>`
    select admin_holds(admin.role, admin.permission_set, needed.to_approve) as may
    from admin, approval_permission as needed where admin.id = ${adminId}::uuid and needed.kind = ${kind}`.execute(db);
  return rows[0]?.may ?? false;
}

/** Returns how a live account got its right to approve, and locks it. */
export async function lockAuthority(tx: Tx, adminId: string) {
  const { rows } = await sql<{ username: string; cause: NewAuthority['cause'] }>`
    select admin.username, given.cause from admin join admin_authority as given on given.admin_id = admin.id
    where admin.id = ${adminId}::uuid and admin.retired_at is null
    order by given.given_at desc, given.id desc limit 1 for no key update of admin`.execute(tx);
  return rows[0];
}

/** Voids the waiting requests of an administrator who was deleted or lost the permission to make them. */
export async function voidRequestsWithoutPermission(tx: Tx, adminId: string) {
  const { rows } = await sql<{ id: string }>`
    update approval set state = 'void', decided_at = now()
    from admin, approval_permission as needed
    where approval.state = 'waiting' and approval.requested_by = ${adminId}::uuid and admin.id = approval.requested_by
      and needed.kind = approval.kind::text
      and (admin.retired_at is not null or not admin_holds(admin.role, admin.permission_set, needed.to_request))
    returning approval.id`.execute(tx);
  return rows.map(({ id }) => id);
}

export const factsOf = ({ payload }: Pick<ApprovalRow, 'payload'>): ApprovalFact[] =>
  payload.facts.map((fact) => ('key' in fact ? fact : { key: fact.name, value: fact.value }));
