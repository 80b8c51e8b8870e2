import { sql } from 'kysely';
import { type Db, runQuery, type Tx } from '#server/core/db/db.ts';
import { rowsAsJson } from '#server/core/db/rows.ts';

export type OfferedPlan = { id: string; days: number; dailyRatePpm: number };

export type StakeRow = {
  stakeId: string;
  userId: string;
  units: bigint;
  unitsSol: bigint;
  days: number;
  dailyRatePpm: number;
  placedAt: Date;
};

/** Returns the offered plans. They stay offered until the transaction ends. */
export const lockOfferedPlans = (tx: Tx): Promise<OfferedPlan[]> =>
  tx.selectFrom('stakePlan').select(['id', 'days', 'dailyRatePpm']).where('offered', '=', true).forShare().execute();

export const selectPlaced = (db: Db, stakeIds: readonly string[]) =>
  runQuery<StakeRow>(
    db,
    sql`select stake_id as "stakeId", user_id as "userId", amount_usd as units, amount_sol as "unitsSol", days,
        daily_rate_ppm as "dailyRatePpm", created_at as "placedAt"
      from stake where stake_id = any(${stakeIds}::text[])`,
  );

export async function insertStakes(tx: Tx, stakes: readonly (StakeRow & { id: string; planId: string })[]) {
  await sql`
    insert into stake (id, stake_id, user_id, plan_id, amount_usd, amount_sol, days, daily_rate_ppm, created_at, ends_on)
    select id, "stakeId", "userId", "planId", units, "unitsSol", days, "dailyRatePpm", "placedAt",
      ("placedAt" at time zone 'UTC')::date + days
    from json_to_recordset(${rowsAsJson(stakes)}) as item (
      id uuid, "stakeId" text, "userId" uuid, "planId" uuid, units bigint, "unitsSol" bigint, days integer,
      "dailyRatePpm" integer, "placedAt" timestamptz)
    order by id`.execute(tx);
}
