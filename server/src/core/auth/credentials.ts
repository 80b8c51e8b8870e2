import { openIfGenuine, seal } from '#server/core/keys.ts';
import type { Tx } from '#server/core/db/db.ts';
import { upsertCredential } from './queries.ts';

const placeOf = (adminId: string) => ({ table: 'admin_credential', id: adminId, column: 'password_hash' }) as const;

export const sealPasswordHash = (adminId: string, passwordHash: string) => seal(placeOf(adminId), passwordHash);

type Credential = { adminId: string; passwordHash: string; temporary: boolean };

/** Stores the hash encrypted, so that it can neither be attacked in a stolen dump nor be replaced by a writer of rows. */
export const storeCredential = (tx: Tx, { adminId, passwordHash, temporary }: Credential) =>
  upsertCredential(tx, { adminId, passwordHash: sealPasswordHash(adminId, passwordHash), temporary });

/** Returns the hash. Undefined if it was not stored by us for this administrator: then no password fits. */
export const openPasswordHash = ({ id, passwordHash }: { id: string; passwordHash: Buffer }) =>
  openIfGenuine(placeOf(id), passwordHash);
