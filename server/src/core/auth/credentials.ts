import { openIfGenuine, seal } from '#server/core/keys.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { selectCredentials, selectStoredHash, updatePasswordHash, upsertCredential } from './queries.ts';

export const placeOfPasswordHash = (adminId: string) =>
  ({ table: 'admin_credential', id: adminId, column: 'password_hash' }) as const;

/** What the encrypted value contains. */
type Secret = {
  hash: string;
  /** Whether the password alone does not sign in. Deleting the rows of the second factor does not change it. */
  requiresFactor: boolean;
};

/** Follows the hash, which has no spaces. */
const factorMark = ' second-factor';

export const sealPasswordHash = (adminId: string, hash: string, requiresFactor = false) =>
  seal(placeOfPasswordHash(adminId), requiresFactor ? hash + factorMark : hash);

type Stored = { id: string; passwordHash: Buffer };

/** Returns undefined if it was not stored by us for this administrator: then no password fits. */
function openCredential({ id, passwordHash }: Stored): Secret | undefined {
  const text = openIfGenuine(placeOfPasswordHash(id), passwordHash);
  if (text === undefined) return undefined;
  const requiresFactor = text.endsWith(factorMark);
  return { hash: requiresFactor ? text.slice(0, -factorMark.length) : text, requiresFactor };
}

/** Returns the hash. Undefined if it was not stored by us for this administrator: then no password fits. */
export const openPasswordHash = (stored: Stored) => openCredential(stored)?.hash;

type Credential = { adminId: string; passwordHash: string; temporary: boolean };

/**
 * Stores the hash encrypted, so that it can neither be attacked in a stolen dump nor be replaced by a writer of rows. An
 * account that requires a second factor still does.
 */
export async function storeCredential(tx: Tx, { adminId, passwordHash, temporary }: Credential) {
  const sealed = sealPasswordHash(adminId, passwordHash, await requiresFactor(tx, adminId));
  await upsertCredential(tx, { adminId, passwordHash: sealed, temporary });
}

/** Whether the stored credential says that the password alone does not sign in. */
export async function requiresFactor(tx: Tx, adminId: string) {
  const stored = await selectStoredHash(tx, adminId);
  return stored !== undefined && openCredential(stored)?.requiresFactor === true;
}

/** Call it whenever the account gets its first second factor or loses its last one. */
export async function setRequiresFactor(tx: Tx, adminId: string, required: boolean) {
  const stored = await selectStoredHash(tx, adminId);
  const opened = stored && openCredential(stored);
  if (!opened || opened.requiresFactor === required) return;
  await updatePasswordHash(tx, { id: adminId, passwordHash: sealPasswordHash(adminId, opened.hash, required) });
}

/** Returns how many administrators nobody can sign in as, because their stored hash was not made with our keys. */
export async function countForeignCredentials(db: Db) {
  return (await selectCredentials(db)).filter((stored) => openPasswordHash(stored) === undefined).length;
}
