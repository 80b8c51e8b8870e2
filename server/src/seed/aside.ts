import type { Pool } from '#server/core/db/db.ts';
import { countStakesAnew } from '#server/features/staking/demo.ts';
import { countTasksAnew } from '#server/features/tasks/demo.ts';
import { countTicketsAnew } from '#server/features/tickets/demo.ts';
import { countUsersAnew } from '#server/features/users/demo.ts';
import { countWithdrawalsAnew } from '#server/features/withdrawals/demo.ts';

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

/** An index over a million rows takes seconds; a million rows that each find their place in it take minutes. */
export async function setAside(pool: Pool) {
  const dropped = await ask(
    pool,
    `select format('drop index %s', indexrelid::regclass) as away, 
       -- Of a table in parts the index is made on all of them, as it was.
       replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as again
     from pg_index where indrelid = any($1::regclass[]) and not indisprimary`,
  );
  const unchecked = await ask(
    pool,
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as away,
       format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as again
     from pg_constraint where conrelid = any($1::regclass[]) and contype = 'f'`,
  );
  const asleep = filled.map((table) => ({
    away: `alter table ${table} disable trigger user`,
    again: `alter table ${table} enable trigger user`,
  }));
  const all = [...unchecked, ...dropped, ...asleep];
  for (const { away } of all) await pool.query(away);
  return async () => {
    // One client for all of it: the setting belongs to a connection.
    const client = await pool.connect();
    try {
      await client.query(`set maintenance_work_mem = '1GB'; set max_parallel_maintenance_workers = 2`);
      for (const { again } of [...dropped, ...unchecked, ...asleep]) await client.query(again);
      for (const table of filled) await client.query(`vacuum (analyze) ${table}`);
    } finally {
      client.release(true);
    }
  };
}

type Aside = { away: string; again: string };

async function ask(pool: Pool, question: string) {
  return (await pool.query<Aside>(question, [filled])).rows;
}

/** Each feature counts its own. */
export async function countAnew(pool: Pool) {
  for (const count of [countUsersAnew, countWithdrawalsAnew, countStakesAnew, countTasksAnew, countTicketsAnew]) {
    await pool.query(count);
  }
}
