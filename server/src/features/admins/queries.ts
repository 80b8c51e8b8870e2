import { sql } from 'kysely';
import type { PermissionSet, Role } from 'contract/core/permissions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';

const columns = ['id', 'username', 'role', 'createdAt', 'permissionSet', 'version'] as const;

export function selectAdmins(db: Db) {
  return db
    .selectFrom('admin')
    .select(columns)
    .where('retiredAt', 'is', null)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

export function selectAdmin(db: Db, id: string) {
  const one = db.selectFrom('admin').select(columns).where('id', '=', id);
  return one.where('retiredAt', 'is', null).executeTakeFirst();
}

/**
 * Locks the administrator, so that concurrent changes run one after the other. Not FOR UPDATE: that would also block
 * transactions that write an audit row of this administrator while they hold the audit lock.
 */
export function lockAdmin(tx: Tx, id: string) {
  const one = tx.selectFrom('admin').select(columns).where('id', '=', id).where('retiredAt', 'is', null);
  return one.forNoKeyUpdate().executeTakeFirst();
}

export function lockAdminByName(tx: Tx, username: string) {
  const one = tx.selectFrom('admin').select(columns).where(sql`lower(username)`, '=', username.toLowerCase());
  return one.where('retiredAt', 'is', null).forNoKeyUpdate().executeTakeFirst();
}

/** Inserts an administrator. Returns no row if the name is taken, even by a concurrent transaction. */
export function insertAdmin(tx: Tx, admin: { username: string; role: Role; permissionSet?: PermissionSet | null }) {
  return tx
    .insertInto('admin')
    .values(admin)
    .onConflict((conflict) => conflict.expression(sql`lower(username)`).where('retiredAt', 'is', null).doNothing())
    .returning(columns)
    .executeTakeFirst();
}

type Change = { username: string; role: Role; permissionSet: PermissionSet | null };

export function updateAdmin(tx: Tx, id: string, change: Change) {
  return tx.updateTable('admin').set(change).where('id', '=', id).returning(columns).executeTakeFirstOrThrow();
}

export type RequestedChange = Omit<Change, 'role'>;

/** Stores what is requested for an administrator. */
export async function upsertChange(tx: Tx, adminId: string, change: RequestedChange) {
  await tx
    .insertInto('adminChange')
    .values({ adminId, ...change })
    .onConflict((conflict) => conflict.column('adminId').doUpdateSet(change))
    .execute();
}

export async function deleteChange(tx: Tx, adminId: string) {
  await tx.deleteFrom('adminChange').where('adminId', '=', adminId).execute();
}

export function selectChange(db: Db, adminId: string): Promise<RequestedChange | undefined> {
  const one = db.selectFrom('adminChange').select(['username', 'permissionSet']).where('adminId', '=', adminId);
  return one.executeTakeFirst();
}

export function retireAdmin(tx: Tx, id: string) {
  return tx
    .updateTable('admin')
    .set({ retiredAt: sql`now()` })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
}

export async function isLastSuperAdmin(db: Db, id: string) {
  const others = db.selectFrom('admin').select('id').where('role', '=', 'SuperAdmin').where('retiredAt', 'is', null);
  return (await others.where('id', '!=', id).limit(1).executeTakeFirst()) === undefined;
}

export async function hasAnyAdmin(db: Db) {
  return (await db.selectFrom('admin').select('id').limit(1).executeTakeFirst()) !== undefined;
}
