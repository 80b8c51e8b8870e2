import { sql } from 'kysely';
import type { Tx } from '#server/core/db/db.ts';
import type { KeyedRows } from '#server/core/db/sealed-rows.ts';
import { fitsKeyedHash, keyedHash, renewedKeyedHash } from '#server/core/keys.ts';

/** Who signed in at the provider. */
export type Identity = { issuer: string; subject: string };

const textOf = (adminId: string, { issuer, subject }: Identity) => JSON.stringify([adminId, issuer, subject]);

const columns = ['admin.id', 'role', 'permissionSet'] as const;

/**
 * Returns the administrator to whom the identity belongs, and whether Bursar linked them: a row that was written past the
 * server has no seal that fits.
 */
export async function selectLinkedAdmin(tx: Tx, identity: Identity) {
  const { issuer, subject } = identity;
  const linked = await tx
    .selectFrom('admin')
    .innerJoin('ssoIdentity', 'ssoIdentity.adminId', 'admin.id')
    .select([...columns, 'seal'])
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .where('retiredAt', 'is', null)
    .executeTakeFirst();
  if (!linked) return undefined;
  const { seal, ...admin } = linked;
  return {
    ...admin,
    isGenuine: fitsKeyedHash('single sign-on identities', textOf(admin.id, identity), seal),
  };
}

/** Returns the administrator of that name, unless another identity belongs to them. */
export function selectUnlinkedAdmin(tx: Tx, username: string) {
  return tx
    .selectFrom('admin')
    .leftJoin('ssoIdentity', 'ssoIdentity.adminId', 'admin.id')
    .select(columns)
    .where(sql`lower(username)`, '=', username.toLowerCase())
    .where('retiredAt', 'is', null)
    .where('ssoIdentity.adminId', 'is', null)
    .executeTakeFirst();
}

export async function hasIdentity(tx: Tx, adminId: string) {
  const identity = tx.selectFrom('ssoIdentity').select('adminId').where('adminId', '=', adminId);
  return (await identity.executeTakeFirst()) !== undefined;
}

/** Unlinks a deleted account, or one whose recovery is completed in this transaction. The database refuses any other. */
export const releaseIdentity = (tx: Tx, adminId: string) =>
  sql`select release_sso_identity(${adminId}::uuid)`.execute(tx);

/** An identity can belong to another account of the same person once the first one was deleted. */
export async function insertIdentity(tx: Tx, adminId: string, identity: Identity) {
  const { issuer, subject } = identity;
  const earlier = await tx
    .selectFrom('ssoIdentity')
    .select('adminId as id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute();
  for (const { id } of earlier) await releaseIdentity(tx, id);
  const seal = keyedHash('single sign-on identities', textOf(adminId, identity));
  await tx.insertInto('ssoIdentity').values({ adminId, issuer, subject, seal }).execute();
}

export const sealedIdentities: KeyedRows = {
  name: 'identities of single sign-on',
  async lockAll(tx) {
    const columns = ['adminId as id', 'issuer', 'subject', 'seal'] as const;
    const rows = await tx.selectFrom('ssoIdentity').select(columns).forUpdate().execute();
    return rows.map(({ id, seal, ...identity }) => ({
      id,
      seal,
      renewed: renewedKeyedHash('single sign-on identities', textOf(id, identity), seal),
    }));
  },
  store: (tx, { id, renewed }) =>
    tx.updateTable('ssoIdentity').set({ seal: renewed }).where('adminId', '=', id).execute(),
};
