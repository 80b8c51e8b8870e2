import type { Pool } from '#server/core/db/db.ts';
import { genesisSeal, sealOf } from './audit.ts';
import type { Entry } from './queries.ts';

/** Seals every row again after the demo loader has changed the times. Requires the owner of the table. */
export async function resealAll(owner: Pick<Pool, 'query'>) {
  const { rows } = await owner.query<Entry>(
    `select seq, at, actor_id as "actorId", api_key_id as "apiKeyId", action, subject_id as "subjectId", details
    from audit_entry order by seq`,
  );
  const seals: Buffer[] = [];
  for (const entry of rows) seals.push(sealOf(seals.at(-1) ?? genesisSeal, entry));
  await owner.query(
    `update audit_entry set seal = fresh.seal from unnest($1::bigint[], $2::bytea[]) as fresh (seq, seal)
     where audit_entry.seq = fresh.seq`,
    [rows.map(({ seq }) => seq), seals],
  );
}

/** Forgets the seals of all records after the demo loader has changed the times. Requires the owner of the table. */
export async function forgetRecordSeals(owner: Pick<Pool, 'query'>) {
  await owner.query(`
    alter table record_seal disable trigger user;
    delete from record_seal;
    alter table record_seal enable trigger user`);
}
