import { sql } from 'kysely';
import { runQuery, type Tx } from '#server/core/db/db.ts';

export type LockedTotals = { userId: string; availableUsd: bigint; gmpShares: bigint; slx: bigint };

/**
 * Locks the totals of users in one order, so that nobody else moves their money until the transaction ends. Without this,
 * two transactions that post for the same users could wait for each other.
 */
export async function lockTotals(tx: Tx, users: Iterable<string>) {
  const locked = await runQuery<LockedTotals>(
    tx,
    sql`select user_id as "userId", available_usd as "availableUsd", gmp_shares as "gmpShares", slx
      from lock_totals(${[...users]}::uuid[])`,
  );
  return new Map(locked.map((totals) => [totals.userId, totals]));
}
