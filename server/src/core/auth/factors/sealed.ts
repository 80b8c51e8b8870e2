import { sql } from 'kysely';
import { runQuery } from '#server/core/db/db.ts';
import type { SealedRows } from '#server/core/db/sealed-rows.ts';
import { placeOfRecoveryCode, placeOfTotp } from './codes.ts';

type Stored = { id: string; sealed: Buffer };

export const sealedTotpSecrets: SealedRows = {
  name: 'secrets of authenticator apps',
  async lockOutdated(tx, { after, limit, current }) {
    const rows = await runQuery<Stored>(
      tx,
      sql`select admin_id as id, sealed from totp_factor
        where admin_id > ${after}::uuid and substring(sealed from 2 for 8) <> ${current}
        order by admin_id limit ${limit} for update`,
    );
    return rows.map((row) => ({ ...row, place: placeOfTotp(row.id) }));
  },
  async store(tx, rows) {
    await sql`
      update totp_factor set sealed = decode(resealed.sealed, 'base64')
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as resealed (id uuid, sealed text)
      where admin_id = resealed.id`.execute(tx);
  },
};

export const sealedRecoveryCodes: SealedRows = {
  name: 'recovery codes',
  async lockOutdated(tx, { after, limit, current }) {
    const rows = await runQuery<Stored>(
      tx,
      sql`select id, sealed from recovery_code
        where id > ${after}::uuid and substring(sealed from 2 for 8) <> ${current}
        order by id limit ${limit} for update`,
    );
    return rows.map((row) => ({ ...row, place: placeOfRecoveryCode(row.id) }));
  },
  async store(tx, rows) {
    await sql`
      update recovery_code set sealed = decode(resealed.sealed, 'base64')
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as resealed (id uuid, sealed text)
      where recovery_code.id = resealed.id`.execute(tx);
  },
};
