import type { Pool } from '#server/core/db/db.ts';
import { recountStakes } from '#server/features/staking/demo.ts';
import { recountTasks } from '#server/features/tasks/demo.ts';
import { recountTickets } from '#server/features/tickets/demo.ts';
import { recountUsers } from '#server/features/users/demo.ts';
import { recountWithdrawals } from '#server/features/withdrawals/demo.ts';

const filled = [
  'platform_user',
  'team',
  'user_total',
  'stake',
  'withdrawal',
  'task',
  'ticket',
  'transfer',
  'transfer_once',
];

/**
 * Drops indexes and foreign keys and disables triggers of the filled tables, and returns a function that restores them.
 * Building an index over a million rows takes seconds; a million inserts into it take minutes.
 */
export async function dropIndexes(pool: Pool) {
  const indexes = await selectStatements(
    pool,
    `select format('drop index %s', indexrelid::regclass) as remove, 
       -- The index of a partitioned table is created on all partitions again.
       replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as restore
     from pg_index where indrelid = any($1::regclass[]) and not indisprimary`,
  );
  const foreignKeys = await selectStatements(
    pool,
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as remove,
       format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as restore
     from pg_constraint where conrelid = any($1::regclass[]) and contype = 'f'`,
  );
  const triggers = filled.map((table) => ({
    remove: `alter table ${table} disable trigger user`,
    restore: `alter table ${table} enable trigger user`,
  }));
  // `enable trigger user` does not restore a trigger that is always on.
  const alwaysOn = await selectStatements(
    pool,
    `select '' as remove, format('alter table %s enable always trigger %I', tgrelid::regclass, tgname) as restore
     from pg_trigger where tgrelid = any($1::regclass[]) and tgenabled = 'A'`,
  );
  const all = [...foreignKeys, ...indexes, ...triggers];
  for (const { remove } of all) await pool.query(remove);
  return async () => {
    // One client for all statements, because the settings belong to a connection.
    const client = await pool.connect();
    try {
      await client.query(`set maintenance_work_mem = '1GB'; set max_parallel_maintenance_workers = 2`);
      for (const { restore } of [...indexes, ...foreignKeys, ...triggers, ...alwaysOn]) await client.query(restore);
      for (const table of filled) await client.query(`vacuum (analyze) ${table}`);
    } finally {
      client.release(true);
    }
  };
}

type Statement = { remove: string; restore: string };

async function selectStatements(pool: Pool, query: string) {
  return (await pool.query<Statement>(query, [filled])).rows;
}

/** Fills the counters of every feature from its rows. */
export async function recount(pool: Pool) {
  for (const count of [recountUsers, recountWithdrawals, recountStakes, recountTasks, recountTickets]) {
    await pool.query(count);
  }
}
