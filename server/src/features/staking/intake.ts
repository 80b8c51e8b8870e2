import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '#server/core/db/db.ts';

/** Inserts the staged stakes of an import that the condition selects. Each has the days and the rate of a plan. */
export async function insertImportedStakes(tx: Tx, condition: RawBuilder<boolean>) {
  await sql`
    insert into stake (id, stake_id, user_id, plan_id, amount_usd, amount_sol, days, daily_rate_ppm, status, created_at,
      ends_on, completed_at)
    select it.id, it.stake_id, it.owner_id, plan.id, it.amount_usd, it.amount_sol, it.days, it.daily_rate_ppm, it.status,
      it.created_at, it.ends_on, it.completed_at
    from import_stake as it
    join stake_plan as plan on plan.days = it.days and plan.daily_rate_ppm = it.daily_rate_ppm
    where ${condition}
    order by it.owner_id, it.id`.execute(tx);
}
