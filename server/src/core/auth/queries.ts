import { setImmediate as endOfTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { temporaryPasswordHours } from 'contract/auth.ts';
import type { PermissionSet, Role } from 'contract/core/permissions.ts';
import { type Db, statement, type Tx } from '#server/core/db/db.ts';
import type { Factor, SealedSession } from './session-seal.ts';

/** Whether the password was set by someone else, and too long ago. */
const hasExpired =
  sql<boolean>`temporary and changed_at < now() - make_interval(hours => ${temporaryPasswordHours})`.as('hasExpired');

export function selectCredential(db: Db, username: string) {
  return db
    .selectFrom('admin')
    .innerJoin('adminCredential', 'adminCredential.adminId', 'admin.id')
    .select(['admin.id', 'adminCredential.passwordHash', hasExpired])
    .where(sql`lower(username)`, '=', username.toLowerCase())
    .where('retiredAt', 'is', null)
    .executeTakeFirst();
}

export function selectCredentials(db: Db) {
  return db.selectFrom('adminCredential').select(['adminId as id', 'passwordHash']).execute();
}

export function selectOwnCredential(db: Db, adminId: string) {
  return db
    .selectFrom('adminCredential')
    .innerJoin('admin', 'admin.id', 'adminCredential.adminId')
    .select(['admin.id', 'passwordHash', 'username', 'temporary', hasExpired])
    .where('adminId', '=', adminId)
    .executeTakeFirstOrThrow();
}

/**
 * Locks an administrator and returns the current credential, which may have changed since it was checked. Returns
 * undefined if the administrator was deleted. The lock excludes a concurrent deletion, so that no session outlives its
 * administrator, and a concurrent sign-in, so that each sign-in counts the session of the other.
 */
export async function lockLiveAdmin(tx: Tx, adminId: string) {
  const live = tx.selectFrom('admin').select('id').where('id', '=', adminId).where('retiredAt', 'is', null);
  return (await live.forNoKeyUpdate().executeTakeFirst()) && selectOwnCredential(tx, adminId);
}

export async function hasSession(db: Db, id: string) {
  return (await db.selectFrom('session').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

export function upsertCredential(tx: Tx, credential: { adminId: string; passwordHash: Buffer; temporary: boolean }) {
  const { passwordHash, temporary } = credential;
  return tx
    .insertInto('adminCredential')
    .values(credential)
    .onConflict((conflict) =>
      conflict.column('adminId').doUpdateSet({ passwordHash, temporary, changedAt: sql`now()` }),
    )
    .execute();
}

export function selectStoredHash(tx: Tx, adminId: string) {
  return tx
    .selectFrom('adminCredential')
    .select(['adminId as id', 'passwordHash'])
    .where('adminId', '=', adminId)
    .executeTakeFirst();
}

/** Leaves the time at which the password was set. */
export function updatePasswordHash(tx: Tx, { id, passwordHash }: { id: string; passwordHash: Buffer }) {
  return tx.updateTable('adminCredential').set({ passwordHash }).where('adminId', '=', id).execute();
}

export type NewSession = SealedSession & { network: string; device: string; seal: Buffer };

export function insertSession(tx: Tx, session: NewSession) {
  return tx.insertInto('session').values(session).execute();
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

/** Returns false if the session has already ended. */
export async function deleteSession(tx: Tx, id: string) {
  const { numDeletedRows } = await tx.deleteFrom('session').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows === 1n;
}

type LiveSession = {
  id: string;
  username: string;
  role: Role;
  permissionSet: PermissionSet | null;
  sessionId: string;
  tokenHash: Buffer;
  cookieHash: Buffer | null;
  createdAt: Date;
  endsAt: Date;
  seal: Buffer;
  sessionAgeSeconds: number;
  factor: Factor | null;
  mustChangePassword: boolean;
  isTouchDue: boolean;
};

/** Every call runs this query. */
const liveSession = statement<LiveSession>(`
  select admin.id, username, role, permission_set as "permissionSet", session.id as "sessionId",
    token_hash as "tokenHash", cookie_hash as "cookieHash", session.created_at as "createdAt", ends_at as "endsAt", seal,
    temporary as "mustChangePassword",
    last_used_at < now() - interval '1 minute' as "isTouchDue",
    factor, extract(epoch from now() - session.created_at)::float8 as "sessionAgeSeconds"
  from session join admin on admin.id = session.admin_id join admin_credential on admin_credential.admin_id = admin.id
  where token_hash = any($1) and ends_at > now() and last_used_at > now() - make_interval(mins => $2)
    and retired_at is null`);

const arriving = new Map<string, Promise<LiveSession | undefined>>();

/**
 * Returns the live session of a token, by every hash that may be stored of it. Calls with the same token that arrive in the same event loop turn, as from one
 * page, share one query. It is sent after the last of them arrived, so that no call is admitted by an older state.
 */
export function selectSession(db: Db, tokenHashes: readonly Buffer[], idleMinutes: number) {
  const key = Buffer.concat(tokenHashes).toString('base64');
  const lookUp = async () => {
    await endOfTurn();
    arriving.delete(key);
    return (await liveSession(db, tokenHashes, idleMinutes))[0];
  };
  const found = arriving.get(key) ?? lookUp();
  arriving.set(key, found);
  return found;
}

export function touchSession(tx: Tx, id: string) {
  return tx.updateTable('session').set({ lastUsedAt: sql`now()` }).where('id', '=', id).execute();
}

/** Whether this administrator has signed in from the device before. */
export async function isKnownDevice(db: Db, username: string, deviceHashes: readonly Buffer[]) {
  const known = db
    .selectFrom('knownDevice')
    .innerJoin('admin', 'admin.id', 'knownDevice.adminId')
    .select('adminId')
    .where('deviceHash', 'in', deviceHashes)
    .where(sql`lower(username)`, '=', username.toLowerCase())
    .where('retiredAt', 'is', null);
  return (await known.executeTakeFirst()) !== undefined;
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

type AnsweredKey = { adminId: string | null; apiKeyId: string | null; key: string };

export function selectAnswer(tx: Tx, { adminId, apiKeyId, key }: AnsweredKey) {
  const answered = tx.selectFrom('answeredCall').select(['call', 'digest', 'answer']).where('key', '=', key);
  // IS NOT DISTINCT FROM reads the whole index, because PostgreSQL looks up only equality and IS NULL in it.
  const byAdmin = adminId === null ? answered.where('adminId', 'is', null) : answered.where('adminId', '=', adminId);
  const byCaller = apiKeyId === null ? byAdmin.where('apiKeyId', 'is', null) : byAdmin.where('apiKeyId', '=', apiKeyId);
  return byCaller.executeTakeFirst();
}

export async function insertAnswer(tx: Tx, answered: AnsweredKey & { call: string; digest: string; answer: string }) {
  await tx.insertInto('answeredCall').values(answered).execute();
}
