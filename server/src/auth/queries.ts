import { sql } from 'kysely';
import type { Db, Tx } from '#server/db/db.ts';

export function selectCredential(db: Db, username: string) {
  return db
    .selectFrom('admin')
    .innerJoin('adminCredential', 'adminCredential.adminId', 'admin.id')
    .select(['admin.id', 'adminCredential.passwordHash'])
    .where(sql`lower(username)`, '=', username.toLowerCase())
    .where('retiredAt', 'is', null)
    .executeTakeFirst();
}

export function selectOwnCredential(db: Db, adminId: string) {
  return db
    .selectFrom('adminCredential')
    .innerJoin('admin', 'admin.id', 'adminCredential.adminId')
    .select(['passwordHash', 'username'])
    .where('adminId', '=', adminId)
    .executeTakeFirstOrThrow();
}

/**
 * Waits for a deletion under way, and makes one that comes now wait: no session outlives its administrator.
 * Two who sign in as the same one queue up too, or neither would see the other's session and count it.
 * Answers the credential as it is now: what was checked before the lock may have been changed meanwhile.
 */
export async function lockLiveAdmin(tx: Tx, adminId: string) {
  const live = tx.selectFrom('admin').select('id').where('id', '=', adminId).where('retiredAt', 'is', null);
  return (await live.forNoKeyUpdate().executeTakeFirst()) && selectOwnCredential(tx, adminId);
}

export async function hasSession(db: Db, id: string) {
  return (await db.selectFrom('session').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

export function upsertCredential(tx: Tx, credential: { adminId: string; passwordHash: string; temporary: boolean }) {
  const { passwordHash, temporary } = credential;
  return tx
    .insertInto('adminCredential')
    .values(credential)
    .onConflict((conflict) =>
      conflict.column('adminId').doUpdateSet({ passwordHash, temporary, changedAt: sql`now()` }),
    )
    .execute();
}

export type NewSession = {
  adminId: string;
  tokenHash: Buffer;
  cookieHash: Buffer | null;
  network: string;
  device: string;
  totalMinutes: number;
};

export function insertSession(tx: Tx, { totalMinutes, ...session }: NewSession) {
  const endsAt = sql<Date>`now() + make_interval(mins => ${totalMinutes})`;
  return tx
    .insertInto('session')
    .values({ ...session, endsAt })
    .execute();
}

export function deleteOldestSessions(tx: Tx, adminId: string, kept: number) {
  const newest = tx.selectFrom('session').select('id').where('adminId', '=', adminId).orderBy('createdAt', 'desc');
  return tx
    .deleteFrom('session')
    .where('adminId', '=', adminId)
    .where('id', 'not in', newest.limit(kept))
    .executeTakeFirstOrThrow();
}

export function deleteSessions(tx: Tx, adminId: string) {
  return tx.deleteFrom('session').where('adminId', '=', adminId).execute();
}

export function deleteSession(tx: Tx, id: string) {
  return tx.deleteFrom('session').where('id', '=', id).execute();
}

export function selectSession(db: Db, tokenHash: Buffer, idleMinutes: number) {
  return db
    .selectFrom('session')
    .innerJoin('admin', 'admin.id', 'session.adminId')
    .innerJoin('adminCredential', 'adminCredential.adminId', 'admin.id')
    .select(['admin.id', 'username', 'role', 'permissionSet', 'session.id as sessionId', 'cookieHash', 'endsAt'])
    .select('temporary as mustChangePassword')
    .select(sql<boolean>`last_used_at < now() - interval '1 minute'`.as('stale'))
    .where('tokenHash', '=', tokenHash)
    .where('endsAt', '>', sql<Date>`now()`)
    .where('lastUsedAt', '>', sql<Date>`now() - make_interval(mins => ${idleMinutes})`)
    .where('retiredAt', 'is', null)
    .executeTakeFirst();
}

export function touchSession(tx: Tx, id: string) {
  return tx.updateTable('session').set({ lastUsedAt: sql`now()` }).where('id', '=', id).execute();
}

export async function isKnownDevice(db: Db, adminId: string, deviceHash: Buffer) {
  const known = db.selectFrom('knownDevice').select('adminId').where('deviceHash', '=', deviceHash);
  return (await known.where('adminId', '=', adminId).executeTakeFirst()) !== undefined;
}

export function upsertKnownDevice(tx: Tx, adminId: string, deviceHash: Buffer) {
  return tx
    .insertInto('knownDevice')
    .values({ adminId, deviceHash })
    .onConflict((conflict) => conflict.columns(['deviceHash', 'adminId']).doUpdateSet({ lastSeenAt: sql`now()` }))
    .execute();
}

export function deleteEndedSessions(tx: Tx, idleMinutes: number) {
  const over = sql<boolean>`ends_at < now() or last_used_at < now() - make_interval(mins => ${idleMinutes})`;
  return tx.deleteFrom('session').where(over).execute();
}

export function deleteForgottenDevices(tx: Tx) {
  return tx.deleteFrom('knownDevice').where('lastSeenAt', '<', sql<Date>`now() - interval '180 days'`).execute();
}

export function deletePastAttempts(tx: Tx) {
  return tx
    .deleteFrom('loginAttempt')
    .where('expire', '<', sql<bigint>`extract(epoch from now())::bigint * 1000`)
    .execute();
}
