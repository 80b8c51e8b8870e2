import { sql } from 'kysely';
import { type Db, runQuery, type Tx } from '#server/core/db/db.ts';
import { rowsAsJson } from '#server/core/db/rows.ts';

export type RequestRow = { id: string; userId: string; units: bigint; wallet: string; at: Date };

/** A new request, with the figures of the user at that time. */
export type NewRequest = RequestRow & { platformId: string; balance: bigint; gmpShares: bigint; slx: bigint };

/** Whether withdrawals are enabled. Disabling them waits until the transaction ends. */
export async function lockEnabled(tx: Tx) {
  const { enabled } = await tx.selectFrom('withdrawalSwitch').select('enabled').forShare().executeTakeFirstOrThrow();
  return enabled;
}

export const selectRequests = (db: Db, ids: readonly string[]) =>
  runQuery<RequestRow>(
    db,
    sql`select id, user_id as "userId", amount_usd as units, wallet, created_at as at
      from withdrawal where id = any(${ids}::uuid[])`,
  );

export async function insertRequests(tx: Tx, requests: readonly NewRequest[]) {
  await sql`
    insert into withdrawal (
      id, platform_id, user_id, amount_usd, wallet, created_at, balance_usd, gmp_shares, prev_slx, slx_points)
    select id, "platformId", "userId", units, wallet, at, balance, "gmpShares", slx, slx
    from json_to_recordset(${rowsAsJson(requests)}) as item (
      id uuid, "platformId" text, "userId" uuid, units bigint, wallet text, at timestamptz, balance bigint, "gmpShares" bigint, slx bigint)
    order by id`.execute(tx);
}
