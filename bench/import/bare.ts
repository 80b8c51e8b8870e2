import path from 'node:path';
import type { Pool } from '../../server/src/core/db/db.ts';

/** The tables that an import fills, and what their rows come from. */
const stored = {
  platform_user: 'id',
  user_total: 'user_id',
  user_secret: 'user_id',
  team: 'user_id',
  stake: 'id',
  first_stake: 'user_id',
  withdrawal: 'id',
  ticket: 'id',
  deposit: 'id, asset',
  transfer: 'day, id',
  transfer_once: 'kind, cause_id, part, reverses',
};

/**
 * Copies all rows that the import stored into plain tables with the same primary keys, and no other index, key or
 * trigger. PostgreSQL reads them from files of its own machine, so nothing else takes part. The columns that PostgreSQL
 * computes are left out.
 */
export async function copyBare(pool: Pool, folder: string) {
  await pool.query('create schema bare');
  const places = new Map<string, string>();
  for (const [table, key] of Object.entries(stored)) {
    const columns = await columnsOf(pool, table);
    const place = `bare.${table}`;
    await pool.query(`copy (select ${columns} from ${table}) to '${path.join(folder, table)}'`);
    await pool.query(`create table ${place} as select ${columns} from ${table} with no data`);
    await pool.query(`alter table ${place} add primary key (${key})`);
    places.set(`${place} (${columns})`, path.join(folder, table));
  }
  await pool.query('checkpoint');
  let rows = 0;
  const started = performance.now();
  for (const [place, file] of places) rows += (await pool.query(`copy ${place} from '${file}'`)).rowCount ?? 0;
  return { ms: performance.now() - started, rows };
}

/**
 * Restores the files of `copyBare` like pg_restore: copies the rows, computes the generated columns, and builds all
 * indexes afterwards. Without foreign keys and triggers. Returns how long that took.
 */
export async function restore(pool: Pool, folder: string) {
  await pool.query('create schema restored');
  await pool.query('checkpoint');
  const started = performance.now();
  for (const table of Object.keys(stored)) {
    const columns = await columnsOf(pool, table);
    await pool.query(`create table restored.${table} (like public.${table} including generated)`);
    await pool.query(`copy restored.${table} (${columns}) from '${path.join(folder, table)}'`);
    for (const statement of await indexesOf(pool, table)) await pool.query(statement);
  }
  return performance.now() - started;
}

/** Returns the statements that create the indexes of a table on the restored one. */
async function indexesOf(pool: Pool, table: string) {
  const { rows } = await pool.query<{ statement: string }>(
    'select pg_get_indexdef(indexrelid) as statement from pg_index where indrelid = $1::regclass',
    [`public.${table}`],
  );
  return rows.map(({ statement }) => statement.replace(/ ON (?:ONLY )?public\./, ' ON restored.'));
}

async function columnsOf(pool: Pool, table: string) {
  const { rows } = await pool.query<{ columns: string }>(
    `select string_agg(quote_ident(attname), ', ' order by attnum) as columns from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [`public.${table}`],
  );
  return rows[0]?.columns ?? '';
}
