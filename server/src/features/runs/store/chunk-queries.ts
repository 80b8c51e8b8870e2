import { sql } from 'kysely';
import { runQuery, type Db, type Tx } from '#server/core/db/db.ts';

/**
 * Hashes all values of the lines, in order. The same plan has the same digest on every machine. Rates are written in
 * basis points, as they were when rates had no finer steps, so that the digests of that time remain valid.
 */
export const digestOfLines = sql`
  encode(sha256(convert_to(string_agg(
    concat_ws(' ', user_id, cause_id, part, input, trim_scale(rate_ppm / 100.0), ranked, base, bonus, loyalty, closing, completes,
      coalesce(skip::text, '-')),
    E'\n' order by user_id, cause_id), 'UTF8')), 'hex')`;

export async function selectDigests(tx: Tx, runId: string) {
  const rows = await tx.selectFrom('runChunk').select('digest').where('runId', '=', runId).orderBy('no').execute();
  return rows.map(({ digest }) => digest);
}

export async function countChunks(db: Db, runId: string) {
  const [counted] = await runQuery<{ all: number; open: number; paid: number }>(
    db,
    sql`select count(*)::int as all, (count(*) filter (where paid_at is null))::int as open, count(paid_at)::int as paid
      from run_chunk where run_id = ${runId}::uuid`,
  );
  return counted ?? { all: 0, open: 0, paid: 0 };
}
