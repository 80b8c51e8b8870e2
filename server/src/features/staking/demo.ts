import type { CopyIn } from '#server/core/db/copy.ts';
import type { Db } from '#server/core/db/db.ts';

type SeedStake = {
  id: string;
  stakeId: string;
  userId: string;
  days: number;
  dailyRatePpm: number;
  amountUsd: number;
  amountSol: number;
  createdAt: Date;
  ends: Date;
  completedAt: Date | null;
};

/** Copies the stakes. Each must have the days and the rate of a plan that an installation starts with. */
export async function copyStakes(db: Db, copy: CopyIn, stakes: Iterable<SeedStake>) {
  const plans = await db.selectFrom('stakePlan').select(['id', 'days', 'dailyRatePpm']).execute();
  const planOf = new Map(plans.map(({ id, days, dailyRatePpm }) => [`${days}/${dailyRatePpm}`, id]));
  const statement = `copy stake (id, stake_id, user_id, plan_id, amount_usd, amount_sol, days, daily_rate_ppm, status,
    created_at, ends_on, completed_at) from stdin`;
  return copy(statement, lines());
  function* lines() {
    for (const it of stakes) {
      const plan = planOf.get(`${it.days}/${it.dailyRatePpm}`) ?? null;
      const agreed = [it.id, it.stakeId, it.userId, plan, it.amountUsd, it.amountSol, it.days, it.dailyRatePpm];
      yield [...agreed, it.completedAt ? 'Completed' : 'Active', it.createdAt, it.ends, it.completedAt];
    }
  }
}

export const recountStakes = `
  insert into stake_count (status, delta, amount_usd)
  select status, count(*), sum(amount_usd) from stake group by status`;
