import { sql } from 'kysely';
import type { Tx } from '#server/core/db/db.ts';

/** Who signed in at the provider. */
export type Identity = { issuer: string; subject: string };

const columns = ['admin.id', 'role', 'permissionSet'] as const;

/** Returns the administrator to whom the identity belongs. */
export function selectLinkedAdmin(tx: Tx, { issuer, subject }: Identity) {
  return tx
    .selectFrom('admin')
    .innerJoin('ssoIdentity', 'ssoIdentity.adminId', 'admin.id')
    .select(columns)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .where('retiredAt', 'is', null)
    .executeTakeFirst();
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

/** An identity can belong to another account of the same person once the first one was deleted. */
export async function insertIdentity(tx: Tx, adminId: string, { issuer, subject }: Identity) {
  const retired = tx.selectFrom('admin').select('id').where('retiredAt', 'is not', null);
  await tx
    .deleteFrom('ssoIdentity')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .where('adminId', 'in', retired)
    .execute();
  await tx.insertInto('ssoIdentity').values({ adminId, issuer, subject }).execute();
}
