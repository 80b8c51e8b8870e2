import type { Pool } from '../../server/src/core/db/db.ts';
import { dropIndexes } from '../../server/src/seed/indexes.ts';

/** The days of the history end here; the day that is paid anew comes after it. */
export const firstDay = '2026-11-02';
const historyDays = 10;
/** A deposit, the placing of the stake, and two rewards and a set-aside on each day of the history. */
const transfersPerStake = 2 + historyDays * 3;

const batch = 500_000;

/** Inserts users with one active stake each and a history of that many transfers. `rebuild` fills totals and keys. */
export async function fillLedger(pool: Pool, transfers: number, rebuild: () => Promise<unknown>) {
  const stakes = Math.ceil(transfers / transfersPerStake);
  const restore = await dropIndexes(pool);
  for (let from = 1; from <= stakes; from += batch) {
    const to = Math.min(stakes, from + batch - 1);
    await pool.query(`
      insert into platform_user (id, user_id, username, wallet, sol_wallet_address, referral_code, rank, created_at)
      select uuid_v7(), 'B' || n, 'bench.' || n, md5('w' || n), md5('s' || n), 'R' || n, 'Gold',
        timestamptz '2026-01-01' + n * interval '1 millisecond'
      from generate_series(${from}::bigint, ${to}::bigint) as n`);
  }
  await pool.query(`
    insert into stake (id, stake_id, user_id, plan_id, amount_usd, amount_sol, days, daily_rate_ppm, created_at, ends_on)
    select gen_random_uuid(), 'S' || user_id, platform_user.id, plan.id, 100000000, 0, 30, 1000,
      date '${firstDay}' - ${historyDays} - 1, date '${firstDay}' - ${historyDays} + 29
    from platform_user, (select id from stake_plan where days = 30) as plan`);
  for (const statement of history) await pool.query(statement);
  await rebuild();
  await restore();
  await pool.query('vacuum (analyze) user_total');
  await pool.query('checkpoint');
}

const earlier = `date '${firstDay}' - ${historyDays} - 1`;

const history = [
  `insert into deposit (id, user_id, asset, units) select id, user_id, 'USD', amount_usd from stake`,
  `insert into deposit (id, asset, units) select uuid_v7(), 'USD', 1000000000000000000`,
  `insert into transfer (day, at, kind, cause_id, part, user_id, asset, debit, credit, units)
   select ${earlier}, ${earlier}, kind::transfer_kind, stake.id, 0, user_id, 'USD', debit::ledger_account,
     credit::ledger_account, amount_usd
   from stake cross join (values ('deposit', 'outside', 'available'), ('stake', 'available', 'staked'))
     as step (kind, debit, credit)
   order by user_id`,
  `insert into transfer (day, at, kind, cause_id, part, asset, debit, credit, units)
   select ${earlier}, ${earlier}, 'deposit', id, 0, 'USD', 'outside', 'treasury', units from deposit
   where user_id is null`,
  // The rewards came with the import of a platform, so no run explains them.
  `insert into transfer (day, at, kind, cause_id, part, user_id, asset, debit, credit, units)
   select day, day, kind::transfer_kind, stake.id, 0, case kind when 'stake-loyalty' then null else user_id end, 'USD',
     debit::ledger_account, credit::ledger_account, units
   from generate_series(date '${firstDay}' - ${historyDays}, date '${firstDay}' - 1, interval '1 day') as day
   cross join stake
   cross join (values
     ('stake-base', 'stake_rewards', 'available', 50000), ('stake-bonus', 'stake_rewards', 'available', 20000),
     ('stake-loyalty', 'treasury', 'loyalty', 30000)
   ) as move (kind, debit, credit, units)
   order by day, user_id`,
  `insert into transfer (day, at, kind, cause_id, part, asset, debit, credit, units)
   select ${earlier}, ${earlier}, 'funding', uuid_v7(), 0, 'USD', 'treasury', 'stake_rewards', sum(units)
   from transfer where debit = 'stake_rewards'`,
];
