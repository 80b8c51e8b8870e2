import { sql } from 'kysely';
import { sealUnsealed } from '#server/core/audit/record-seals.ts';
import type { Database } from '#server/core/db/db.ts';

type Crowd = {
  users: number;
  placedOn: string;
  days?: number;
  amountUsd?: number;
  /** Each user is the sponsor of two others. */
  sponsored?: boolean;
};

/** Adds users with one stake each, posted as the platform would: enough for a run of several chunks. */
export function addCrowd(owner: Database, crowd: Crowd) {
  const { users, placedOn, days = 30, amountUsd = 100, sponsored = false } = crowd;
  return owner.transaction().execute(async (tx) => {
    await sql`
      insert into stake_plan (days, daily_rate_ppm) values (${days}, 1000) on conflict do nothing`.execute(tx);
    await sql`
      insert into platform_user (user_id, username, wallet, sol_wallet_address, referral_code, rank, created_at)
      select 'C-' || n, 'crowd.' || n, 'wallet-c-' || n, 'sol-c-' || n, 'CROWD' || n,
        (enum_range(null::user_rank))[1 + n % 4], ${placedOn}::date
      from generate_series(1, ${users}::int) as n`.execute(tx);
    if (sponsored) {
      await sql`
        update platform_user set sponsor_id = sponsor.id
        from generate_series(1, ${users}::int) as n join platform_user as sponsor on sponsor.user_id = 'C-' || n / 2
        where platform_user.user_id = 'C-' || n`.execute(tx);
    }
    await sql`
      insert into stake (stake_id, user_id, plan_id, amount_usd, amount_sol, days, daily_rate_ppm, created_at, ends_on)
      select 'S' || member.user_id, member.id, plan.id, ${amountUsd} * 1000000::bigint, 0, plan.days, plan.daily_rate_ppm,
        ${placedOn}::date + time '12:00', ${placedOn}::date + plan.days
      from platform_user as member, stake_plan as plan
      where member.user_id like 'C-%' and plan.days = ${days} and plan.daily_rate_ppm = 1000`.execute(tx);
    await sql`
      insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units)
      select ${placedOn}::date, move.kind, case move.kind when 'deposit' then user_id else id end, 0, user_id, 'USD',
        move.debit, move.credit, amount_usd
      from stake, (values
        ('deposit'::transfer_kind, 'outside'::ledger_account, 'available'::ledger_account), ('stake', 'available', 'staked')
      ) as move (kind, debit, credit)
      where stake_id like 'SC-%'
      order by move.kind, user_id`.execute(tx);
    await sql`
      insert into deposit (id, user_id, asset, units)
      select cause_id, user_id, asset, units from transfer where kind = 'deposit' on conflict do nothing`.execute(tx);
    await sealUnsealed(tx, ['deposit']);
  });
}
