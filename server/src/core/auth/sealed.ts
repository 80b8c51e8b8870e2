import { sql } from 'kysely';
import { type Db, runQuery } from '#server/core/db/db.ts';
import type { SealedRows } from '#server/core/db/sealed-rows.ts';
import { placeOfPasswordHash, sealPasswordHash } from './credentials.ts';

type Stored = { id: string; sealed: Buffer };

const stored = sql`select admin_id as id, password_hash as sealed from admin_credential`;

/** Encrypts the password hashes of a version that stored them as they are. */
export async function sealPasswordHashes(db: Pick<Db, 'getExecutor'>) {
  for (const { id, sealed: plain } of await runQuery<Stored>(db, sql`${stored}`)) {
    const sealed = sealPasswordHash(id, plain.toString());
    await runQuery(db, sql`update admin_credential set password_hash = ${sealed} where admin_id = ${id}`);
  }
}

export const sealedPasswordHashes: SealedRows = {
  name: 'password hashes of administrators',
  async lockOutdated(tx, { after, limit, current }) {
    const rows = await runQuery<Stored>(
      tx,
      sql`${stored} where admin_id > ${after}::uuid and substring(password_hash from 2 for 8) <> ${current}
        order by admin_id limit ${limit} for update`,
    );
    return rows.map((row) => ({ ...row, place: placeOfPasswordHash(row.id) }));
  },
  async store(tx, rows) {
    await sql`
      update admin_credential set password_hash = decode(sealed, 'base64')
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as resealed (id uuid, sealed text)
      where admin_id = resealed.id`.execute(tx);
  },
};
