import { openIfGenuine, seal } from '#server/core/keys.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { selectCredentials, upsertCredential } from './queries.ts';

export const placeOfPasswordHash = (adminId: string) =>
  ({ table: 'admin_credential', id: adminId, column: 'password_hash' }) as const;

export const sealPasswordHash = (adminId: string, passwordHash: string) =>
  seal(placeOfPasswordHash(adminId), passwordHash);

type Credential = { adminId: string; passwordHash: string; temporary: boolean };

/** Stores the hash encrypted, so that it can neither be attacked in a stolen dump nor be replaced by a writer of rows. */
export const storeCredential = (tx: Tx, { adminId, passwordHash, temporary }: Credential) =>
  upsertCredential(tx, { adminId, passwordHash: sealPasswordHash(adminId, passwordHash), temporary });

/** Returns how many administrators nobody can sign in as, because their stored hash was not made with our keys. */
export async function countForeignCredentials(db: Db) {
  return (await selectCredentials(db)).filter((stored) => openPasswordHash(stored) === undefined).length;
}

/** Returns the hash. Undefined if it was not stored by us for this administrator: then no password fits. */
export const openPasswordHash = ({ id, passwordHash }: { id: string; passwordHash: Buffer }) =>
  openIfGenuine(placeOfPasswordHash(id), passwordHash);
