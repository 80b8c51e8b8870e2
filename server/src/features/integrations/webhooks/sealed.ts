import { sql } from 'kysely';
import { runQuery } from '#server/core/db/db.ts';
import type { SealedRows } from '#server/core/db/sealed-rows.ts';

export const sealedWebhookSecrets: SealedRows = {
  name: 'secrets of webhooks',
  async lockOutdated(tx, { after, limit, current }) {
    const rows = await runQuery<{ id: string; sealed: Buffer }>(
      tx,
      sql`select id, sealed from webhook_secret
        where id > ${after}::uuid and substring(sealed from 2 for 8) <> ${current}
        order by id limit ${limit} for update`,
    );
    return rows.map((row) => ({ ...row, place: { table: 'webhook_secret', id: row.id, column: 'sealed' } }));
  },
  async store(tx, rows) {
    await sql`
      update webhook_secret set sealed = decode(resealed.sealed, 'base64')
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as resealed (id uuid, sealed text)
      where webhook_secret.id = resealed.id`.execute(tx);
  },
};
