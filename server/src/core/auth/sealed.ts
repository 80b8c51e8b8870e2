import { sql } from 'kysely';
import { type Db, runQuery } from '#server/core/db/db.ts';
import { sealedColumn } from '#server/core/db/sealed-rows.ts';
import { placeOfPasswordHash, sealPasswordHash } from './credentials.ts';

/** Encrypts the password hashes of a version that stored them as they are. */
export async function sealPasswordHashes(db: Pick<Db, 'getExecutor'>) {
  const stored = await runQuery<{ id: string; plain: Buffer }>(
    db,
    sql`select admin_id as id, password_hash as plain from admin_credential`,
  );
  for (const { id, plain } of stored) {
    const sealed = sealPasswordHash(id, plain.toString());
    await runQuery(db, sql`update admin_credential set password_hash = ${sealed} where admin_id = ${id}`);
  }
}

export const sealedPasswordHashes = sealedColumn({
  name: 'password hashes of administrators',
  table: 'admin_credential',
  key: 'admin_id',
  column: 'password_hash',
  placeOf: placeOfPasswordHash,
});
