import type { Db, Tx } from './db.ts';

/**
 * Whether the platform is under maintenance. Withdrawals and runs both stop for it; the feature `maintenance` owns the
 * table and is the only one that switches. With the lock, whoever switches waits until the transaction has ended; the
 * worker's role may only read, and cannot take it.
 */
export function isUnderMaintenance(db: Db): Promise<boolean>;
export function isUnderMaintenance(tx: Tx, options: { lock: 'share' }): Promise<boolean>;
export async function isUnderMaintenance(db: Db, options?: { lock: 'share' }) {
  const reading = db.selectFrom('maintenance').select('active');
  const { active } = await (options ? reading.forShare() : reading).executeTakeFirstOrThrow();
  return active;
}
