import type { OpenState, WithdrawalMode, WithdrawalStatus } from 'contract/withdrawal-states.ts';
import type { Withdrawal, WithdrawalSort } from 'contract/withdrawals.ts';
import type { Signal } from 'contract/withdrawals-signals.ts';
import { sql } from 'kysely';
import { sealRecords } from '#server/core/audit/record-seals.ts';
import type { Signals } from '#server/core/approvals/approvals.ts';
import { brokenConstraint, type Db, type Tx } from '#server/core/db/db.ts';
import { type List, listPage } from '#server/core/db/list.ts';
import { isUnderMaintenance } from '#server/core/db/maintenance.ts';
import { type ListQuery, figuresOf, userOwnedList, searchByUser } from '#server/core/db/user-owned-list.ts';
import { Refusal } from '#server/core/refusal.ts';

const orders = {
  date: { column: 'created_at', type: 'timestamptz' },
  amount: { column: 'amount_usd', type: 'bigint' },
};

/**
 * The reference of a request that another administrator denied says nothing, and stays stored until the next decision. An
 * import can bring a reference without a request. The requester's own denial counts only where nobody else could deny.
 */
const reference = sql`
  case when item.state <> 'requested' or item.reference is null or not coalesce((
    select state = 'denied' and (decided_by <> requested_by or not exists (
      select from admin as other where other.id <> requested_by and is_approver(other.id)))
    from approval where kind = 'withdrawal' and subject_id = item.id order by requested_at desc limit 1
  ), false) then item.reference end`;

const columns = sql`
  platform_user.username as user, platform_user.id as "userUuid", item.amount_usd as amount, item.wallet, item.status,
  item.state, item.platform_id as "platformId", item.created_at as date, item.gmp_shares as "gmpShares", item.prev_slx as "prevSLX", item.slx_points as "slxPoints",
  item.balance_usd as balance, item.decided_at as "decidedAt", decider.username as "decidedBy",
  item.reason, ${reference} as reference, item.mode, item.asked_at as "askedAt",
  item.sent_at as "sentAt", sender.username as "sentBy", item.sent_source as "sentSource",
  item.unknown_at as "unknownAt", marked_by_admin.username as "unknownBy", item.unknown_source as "unknownSource",
  item.settled_at as "settledAt", settled_by_admin.username as "settledBy", item.settled_source as "settledSource",
  coalesce(preparer.username, case when item.state = 'requested' then requester.username end) as "preparedBy",
  coalesce(failure_requester.username, case when item.state <> 'requested' then requester.username end) as "failureRequestedBy",
  waiting.expires_at as "waitsUntil", waiting.id as "waitingApproval",
  risk.signals`;

/** A failed request does not count as an earlier withdrawal, and only a completed one makes its wallet known. */
const signals = {
  'new wallet': sql`not exists (
    select from withdrawal as earlier
    where earlier.wallet = item.wallet and earlier.user_id = item.user_id and earlier.created_at < item.created_at
      and earlier.status = 'Completed')`,
  'shared wallet': sql`
    exists (select from withdrawal as theirs where theirs.wallet = item.wallet and theirs.user_id < item.user_id)
    or exists (select from withdrawal as theirs where theirs.wallet = item.wallet and theirs.user_id > item.user_id)
    or exists (select from platform_user as other where other.wallet = item.wallet and other.id <> item.user_id)
    or exists (
      select from platform_user as other where other.sol_wallet_address = item.wallet and other.id <> item.user_id)`,
  'first withdrawal': sql`not exists (
    select from withdrawal as earlier
    where earlier.user_id = item.user_id and (earlier.created_at, earlier.id) < (item.created_at, item.id)
      and earlier.status <> 'Failed')`,
  'more than half of the balance': sql`item.amount_usd > item.balance_usd / 2`,
  'several within a day': sql`exists (
    select from withdrawal as near
    where near.user_id = item.user_id and near.id <> item.id
      and near.created_at > item.created_at - interval '24 hours'
      and near.created_at < item.created_at + interval '24 hours')`,
  'sponsor blacklisted': sql`exists (
    select from platform_user as sponsor where sponsor.id = platform_user.sponsor_id and sponsor.blacklisted_at is not null)`,
} satisfies Record<Signal, unknown>;

const signalCases = Object.entries(signals).map(([signal, seen]) => sql`case when ${seen} then ${signal}::text end`);

const risk = sql`
  cross join lateral (select array_remove(array[${sql.join(signalCases)}], null) as signals) as risk`;

const joins = sql`
  join platform_user on platform_user.id = item.user_id
  left join admin as decider on decider.id = item.decided_by
  left join admin as preparer on preparer.id = item.prepared_by
  left join admin as sender on sender.id = item.sent_by
  left join admin as marked_by_admin on marked_by_admin.id = item.unknown_by
  left join admin as settled_by_admin on settled_by_admin.id = item.settled_by
  left join admin as failure_requester on failure_requester.id = item.failure_requested_by
  left join approval as waiting on waiting.kind = 'withdrawal' and waiting.subject_id = item.id
    and waiting.state = 'waiting' and waiting.expires_at > now()
  left join admin as requester on requester.id = waiting.requested_by
  ${risk}`;

export type Narrowing = { approval?: 'waiting' | undefined; open?: OpenState | undefined };
type Query = ListQuery<WithdrawalStatus, WithdrawalSort> & Narrowing;

export const selectPage = (db: Db, query: Query) => listPage<Withdrawal>(db, withdrawalList(db, query));

export function withdrawalList(db: Db, { approval, open, ...query }: Query): List {
  const list = userOwnedList(db, { table: 'withdrawal', columns, joins, orders, searchFilter: searchByUser }, query);
  const where = [...list.where, ...(open ? [sql<boolean>`item.state = ${sql.lit(open)}`] : [])];
  const rows = approval ? waitingRows : list.rows;
  if (!approval && !open) return list;
  return { ...list, rows, where, countAll: () => countRows(db, { rows, where }) };
}

/**
 * Few withdrawals wait for a second approver, because each request is made by an administrator. Their ids are collected
 * first: with a join, the planner might scan all withdrawals.
 */
const waitingRows = sql`(
  select * from withdrawal where id = any(array(
    select subject_id from approval where kind = 'withdrawal' and state = 'waiting' and expires_at > now())))`;

/** Counts withdrawals that wait for somebody. They are few, so they have no counters. */
async function countRows(db: Db, list: Pick<List, 'rows' | 'where'>) {
  const { rows } = await sql<{ count: bigint }>`
    select count(*) from ${list.rows} as item where ${sql.join([sql`true`, ...list.where], sql` and `)}`.execute(db);
  return Number(rows[0]?.count ?? 0n);
}

export const selectFigures = (db: Db) => figuresOf<WithdrawalStatus>(db, 'withdrawal');

export async function selectWithdrawal(db: Db, id: string) {
  const { rows } = await sql<Withdrawal>`
    select item.id, ${columns} from withdrawal as item ${joins} where item.id = ${id}::uuid`.execute(db);
  return rows[0];
}

/** Returns the platform's own ids of a withdrawal, if the platform sent it, and of its user. */
export function selectPlatformIds(db: Db, id: string) {
  return db
    .selectFrom('withdrawal')
    .innerJoin('platformUser', 'platformUser.id', 'withdrawal.userId')
    .select(['withdrawal.platformId', 'platformUser.userId'])
    .where('withdrawal.id', '=', id)
    .executeTakeFirstOrThrow();
}

/** Returns the current risk signals of these withdrawals. */
export async function selectSignals(db: Db, ids: readonly string[]): Promise<Signals> {
  const { rows } = await sql<{ id: string; signals: Signal[] }>`
    select item.id, risk.signals from withdrawal as item
    join platform_user on platform_user.id = item.user_id
    ${risk} where item.id = any(${ids}::uuid[])`.execute(db);
  return new Map(rows.map(({ id, signals: found }) => [id, found]));
}

/** Locks the withdrawal, so that concurrent decisions run one after the other. */
export async function lockWithdrawal(tx: Tx, id: string) {
  const locked = await tx.selectFrom('withdrawal').select('id').where('id', '=', id).forUpdate().executeTakeFirst();
  return locked && selectWithdrawal(tx, id);
}

/**
 * Returns what prevents a payment. The rows stay locked until the decision commits, so that disabling withdrawals or
 * blacklisting the user waits for it.
 */
export async function selectObstacles(tx: Tx, user: string) {
  const { enabled } = await tx.selectFrom('withdrawalSwitch').select('enabled').forShare().executeTakeFirstOrThrow();
  const underMaintenance = await isUnderMaintenance(tx, { lock: 'share' });
  const { blacklistedAt, retiredAt } = await tx
    .selectFrom('platformUser')
    .select(['blacklistedAt', 'retiredAt'])
    .where('id', '=', user)
    .forShare()
    .executeTakeFirstOrThrow();
  const { gone, blacklisted } = { gone: retiredAt !== null, blacklisted: blacklistedAt !== null };
  return { disabled: !enabled, underMaintenance, gone, blacklisted };
}

/** Stores the reference of a transaction that was sent before the withdrawal is decided, or null. */
export async function updateReference(tx: Tx, id: string, reference: string | null) {
  await tx.updateTable('withdrawal').set({ reference }).where('id', '=', id).execute().catch(refuseTaken);
  await sealRecords(tx, 'withdrawal', [id]);
}

type Approved = { decidedBy: string; preparedBy?: string; mode: WithdrawalMode; reference: string | null };

/** Approves a withdrawal. One with a reference was already sent, and is confirmed by whoever approves it. */
export async function updateApproved(tx: Tx, id: string, { reference, ...approved }: Approved) {
  const sent = { sentAt: now, sentBy: approved.decidedBy, sentSource: 'administrator' } as const;
  const settled = { settledAt: now, settledBy: approved.decidedBy, settledSource: 'administrator' } as const;
  const outcome =
    reference === null ? ({ state: 'approved' } as const) : { state: 'confirmed' as const, ...sent, ...settled };
  await tx
    .updateTable('withdrawal')
    .set({ ...approved, reference, decidedAt: now, ...outcome })
    .where('id', '=', id)
    .execute()
    .catch(refuseTaken);
  await sealRecords(tx, 'withdrawal', [id]);
}

/** Rejects a withdrawal. Its reference, from a request that was denied, becomes free for another one. */
export async function updateRejected(tx: Tx, id: string, { decidedBy, reason }: { decidedBy: string; reason: string }) {
  await tx
    .updateTable('withdrawal')
    .set({ state: 'rejected', decidedBy, reason, reference: null, decidedAt: now })
    .where('id', '=', id)
    .execute();
  await sealRecords(tx, 'withdrawal', [id]);
}

const now = sql<Date>`now()`;

/** A reference names one transaction, and one transaction pays one withdrawal. */
export function refuseTaken(error: unknown): never {
  throw brokenConstraint(error) === 'withdrawal_reference' ? new Refusal('ReferenceTaken') : error;
}

export function selectSwitch(db: Db) {
  return db
    .selectFrom('withdrawalSwitch')
    .leftJoin('admin', 'admin.id', 'changedBy')
    .select(['enabled', 'admin.username as changedBy', 'changedAt'])
    .executeTakeFirstOrThrow();
}

/** Locks the switch, so that concurrent changes run one after the other. */
export function lockSwitch(tx: Tx) {
  return tx.selectFrom('withdrawalSwitch').select('enabled').forUpdate().executeTakeFirstOrThrow();
}

export function updateSwitch(tx: Tx, change: { enabled: boolean; changedBy: string }) {
  return tx
    .updateTable('withdrawalSwitch')
    .set({ ...change, changedAt: sql`now()` })
    .execute();
}

/** Merges the rows into one per status. Rows added concurrently are not visible here, so none is lost. */
export function foldCounts(tx: Tx) {
  return sql`
    with folded as (delete from withdrawal_count returning status, delta, amount_usd)
    insert into withdrawal_count (status, delta, amount_usd)
    select status, sum(delta), sum(amount_usd) from folded group by status
  `.execute(tx);
}
