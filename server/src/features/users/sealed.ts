import { sql } from 'kysely';
import { runQuery } from '#server/core/db/db.ts';
import type { SealedRows } from '#server/core/db/sealed-rows.ts';

export const sealedPrivateKeys: SealedRows = {
  name: 'private keys of users',
  async lockOutdated(tx, { after, limit, current }) {
    const rows = await runQuery<{ id: string; sealed: Buffer }>(
      tx,
      sql`select user_id as id, sol_private_key as sealed from user_secret
        where user_id > ${after}::uuid and substring(sol_private_key from 2 for 8) <> ${current}
        order by user_id limit ${limit} for update`,
    );
    return rows.map((row) => ({ ...row, place: { table: 'user_secret', id: row.id, column: 'sol_private_key' } }));
  },
  async store(tx, rows) {
    await sql`
      update user_secret set sol_private_key = decode(sealed, 'base64')
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as resealed (id uuid, sealed text)
      where user_id = resealed.id`.execute(tx);
  },
};
