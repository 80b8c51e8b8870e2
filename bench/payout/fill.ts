import type { Pool } from '../../server/src/core/db/db.ts';
import { dropIndexes } from '../../server/src/seed/indexes.ts';

/** The first day that is paid. All stakes start before it. */
export const firstDay = '2026-11-02';

const batch = 500_000;

/**
 * Inserts users with one stake each. Stake ids are random, as when users stake long after they joined: rows written in
 * the order of the users land anywhere in an index by stake. From the second day on, a twenty-ninth ends each day.
 */
export async function fillStakes(pool: Pool, stakes: number) {
  const restore = await dropIndexes(pool);
  for (let from = 1; from <= stakes; from += batch) {
    const to = Math.min(stakes, from + batch - 1);
    await pool.query(`
      insert into platform_user (id, user_id, username, wallet, sol_wallet_address, referral_code, rank, created_at)
      select uuid_v7(), 'B' || n, 'bench.' || n, md5('w' || n), md5('s' || n), 'R' || n,
        (enum_range(null::user_rank))[1 + n % 4], timestamptz '2026-01-01' + n * interval '1 millisecond'
      from generate_series(${from}::bigint, ${to}::bigint) as n`);
  }
  await pool.query(`
    insert into stake (id, stake_id, user_id, plan_id, amount_usd, amount_sol, days, daily_rate_ppm, created_at, ends_on)
    select gen_random_uuid(), 'S' || user_id, platform_user.id, plan.id, (100 + hashtext(platform_user.user_id) % 90) * 1000000, 0, 30,
      1000, date '${firstDay}' - 1 - abs(hashtext(platform_user.user_id)) % 29,
      date '${firstDay}' + 29 - abs(hashtext(platform_user.user_id)) % 29
    from platform_user, (select id from stake_plan where days = 30) as plan`);
  await pool.query(`
    insert into user_total (user_id, staked_usd, gmp_shares)
    select user_id, amount_usd, 1 + abs(hashtext(user_id::text)) % 1000 from stake`);
  await pool.query(`
    insert into ledger_balance (account, asset, units) values
      ('treasury', 'USD', 1000000000000000000), ('treasury', 'GMP', 1000000000000000000)`);
  await restore();
  await pool.query('vacuum (analyze) user_total');
  await pool.query('checkpoint');
}
