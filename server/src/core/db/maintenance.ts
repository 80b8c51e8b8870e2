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
