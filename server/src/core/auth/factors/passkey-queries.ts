import { sql } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';
import type { KeyedRows } from '#server/core/db/sealed-rows.ts';
import { fitsKeyedHash, keyedHash, renewedKeyedHash } from '#server/core/keys.ts';

export type StoredPasskey = { id: string; adminId: string; credentialId: string; publicKey: Buffer; rpId: string };

const textOf = ({ adminId, credentialId, publicKey, rpId }: Omit<StoredPasskey, 'id'>) =>
  JSON.stringify([adminId, credentialId, publicKey.toString('base64'), rpId]);

/** Returns the passkeys of an administrator that were not removed. */
export function selectPasskeys(db: Db, adminId: string) {
  return db
    .selectFrom('passkey')
    .select(['id', 'name', 'credentialId', 'rpId as domain', 'createdAt', 'lastUsedAt'])
    .where('adminId', '=', adminId)
    .where('removedAt', 'is', null)
    .orderBy('createdAt')
    .execute();
}

export async function hasPasskey(db: Db, adminId: string) {
  const passkey = db.selectFrom('passkey').select('id').where('adminId', '=', adminId).where('removedAt', 'is', null);
  return (await passkey.limit(1).executeTakeFirst()) !== undefined;
}

/** Returns a passkey that Bursar added and that was not removed, of an administrator who was not deleted. */
export async function selectPasskeyByCredential(db: Db, credentialId: string): Promise<StoredPasskey | undefined> {
  const stored = await db
    .selectFrom('passkey')
    .innerJoin('admin', 'admin.id', 'passkey.adminId')
    .select(['passkey.id', 'adminId', 'credentialId', 'publicKey', 'rpId', 'seal'])
    .where('credentialId', '=', credentialId)
    .where('removedAt', 'is', null)
    .where('retiredAt', 'is', null)
    .executeTakeFirst();
  if (!stored) return undefined;
  const { seal, ...passkey } = stored;
  return fitsKeyedHash('passkeys', textOf(passkey), seal) ? passkey : undefined;
}

/** Returns undefined if the credential was added before. */
export function insertPasskey(tx: Tx, passkey: Omit<StoredPasskey, 'id'> & { name: string; signCount: number }) {
  return tx
    .insertInto('passkey')
    .values({ ...passkey, signCount: BigInt(passkey.signCount), seal: keyedHash('passkeys', textOf(passkey)) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
}

/**
 * Records that a passkey was used. Returns false if its counter did not grow: then the authenticator was cloned. Many
 * authenticators do not count, and always send 0.
 */
export async function advanceSignCount(tx: Tx, id: string, signCount: number) {
  const { numUpdatedRows } = await tx
    .updateTable('passkey')
    .set({ lastUsedAt: sql`now()`, signCount: BigInt(signCount) })
    .where('id', '=', id)
    .where((where) => where.or([where('signCount', '<', BigInt(signCount)), where('signCount', '=', 0n)]))
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

export function markRemoved(tx: Tx, { id, adminId }: { id: string; adminId: string }) {
  return tx
    .updateTable('passkey')
    .set({ removedAt: sql`now()` })
    .where('id', '=', id)
    .where('adminId', '=', adminId)
    .where('removedAt', 'is', null)
    .returning(['name', 'credentialId'])
    .executeTakeFirst();
}

export const sealedPasskeys: KeyedRows = {
  name: 'passkeys',
  async lockAll(tx) {
    const columns = ['id', 'adminId', 'credentialId', 'publicKey', 'rpId', 'seal'] as const;
    const rows = await tx.selectFrom('passkey').select(columns).forUpdate().execute();
    return rows.map((row) => ({ ...row, renewed: renewedKeyedHash('passkeys', textOf(row), row.seal) }));
  },
  store: (tx, { id, renewed }) => tx.updateTable('passkey').set({ seal: renewed }).where('id', '=', id).execute(),
};
