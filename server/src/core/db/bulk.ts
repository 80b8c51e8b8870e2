import { sql } from 'kysely';
import { runQuery, type Tx } from './db.ts';

type Statement = { remove: string; restore: string };

/**
 * Runs `work` without the secondary indexes and the foreign keys of these tables, and creates them again in the same
 * transaction, so that nobody ever sees the tables without them. Building an index over a million rows takes seconds,
 * and a million inserts into it take minutes. Requires the owner of the tables, and locks them.
 */
export async function withoutIndexes(tx: Tx, tables: readonly string[], work: () => Promise<void>) {
  const named = sql`array[${sql.join(tables)}]::regclass[]`;
  const foreignKeys = await runQuery<Statement>(
    tx,
    sql`select format('alter table %s drop constraint %I', conrelid::regclass, conname) as remove,
        format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as restore
      from pg_constraint where conrelid = any (${named}) and contype = 'f'`,
  );
  const indexes = await runQuery<Statement>(
    tx,
    sql`select format('drop index %s', indexrelid::regclass) as remove,
        -- The index of a partitioned table is created on all partitions again.
        replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as restore
      from pg_index where indrelid = any (${named}) and not indisprimary
        and not exists (select from pg_constraint where conindid = indexrelid)`,
  );
  for (const { remove } of [...foreignKeys, ...indexes]) await sql.raw(remove).execute(tx);
  await work();
  await sql`set local maintenance_work_mem = '512MB'`.execute(tx);
  for (const { restore } of [...indexes, ...foreignKeys]) await sql.raw(restore).execute(tx);
}
