import { sql } from 'kysely';
import type { Db, Tx } from './db.ts';

/**
 * Whether the platform is under maintenance, which stops withdrawals and runs. The feature `maintenance` owns the table
 * and is the only one that writes to it. With the lock, switching waits until the transaction has ended. The worker's
 * role may only read, and cannot take the lock.
 */
export function isUnderMaintenance(db: Db): Promise<boolean>;
export function isUnderMaintenance(tx: Tx, options: { lock: 'share' }): Promise<boolean>;
export async function isUnderMaintenance(db: Db, options?: { lock: 'share' }) {
  const reading = db.selectFrom('maintenance').select('active');
  const { active } = await (options ? reading.forShare() : reading).executeTakeFirstOrThrow();
  return active;
}

/** Returns the seconds until the maintenance window ends, at least one, or undefined without maintenance. Locks it. */
export async function maintenanceSecondsLeft(tx: Tx) {
  const { rows } = await sql<{ seconds: number | null }>`
    select case when active then greatest(1, ceil(extract(epoch from ends_at - clock_timestamp())))::int end as seconds
    from maintenance for share`.execute(tx);
  return rows[0]?.seconds ?? undefined;
}
