import { type Db, runQuery } from '#server/core/db/db.ts';
import { sql } from 'kysely';
import { sealPasswordHash } from './credentials.ts';

/** Encrypts the password hashes of a version that stored them as they are. */
export async function sealPasswordHashes(db: Pick<Db, 'getExecutor'>) {
  const stored = await runQuery<{ adminId: string; passwordHash: Buffer }>(
    db,
    sql`select admin_id as "adminId", password_hash as "passwordHash" from admin_credential`,
  );
  for (const { adminId, passwordHash } of stored) {
    const sealed = sealPasswordHash(adminId, passwordHash.toString());
    await runQuery(db, sql`update admin_credential set password_hash = ${sealed} where admin_id = ${adminId}`);
  }
}
