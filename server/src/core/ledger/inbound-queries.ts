import type { Asset } from 'contract/core/money.ts';
import { sql } from 'kysely';
import { type Db, runQuery, type Tx } from '#server/core/db/db.ts';
import { rowsAsJson } from '#server/core/db/rows.ts';

export type DepositRow = { id: string; userId: string; asset: Asset; units: bigint; at: Date };

export const selectDeposits = (db: Db, ids: readonly string[]) =>
  runQuery<DepositRow>(
    db,
    sql`select id, user_id as "userId", asset, units, recorded_at as at from deposit where id = any(${ids}::uuid[])`,
  );

export async function insertDeposits(tx: Tx, deposits: readonly DepositRow[]) {
  await sql`
    insert into deposit (id, user_id, asset, units, recorded_at)
    select id, "userId", asset, units, at
    from json_to_recordset(${rowsAsJson(deposits)}) as item (id uuid, "userId" uuid, asset asset, units bigint, at timestamptz)
    order by id`.execute(tx);
}
