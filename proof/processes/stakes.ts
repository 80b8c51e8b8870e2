import { stakeDay } from 'contract/formulas.ts';
import { sql } from 'kysely';
import { sealUnsealed } from '../../server/src/core/audit/record-seals.ts';
import { runQuery, type Database } from '../../server/src/core/db/db.ts';
import { post } from '../../server/src/core/ledger/ledger.ts';
import { fillTreasury } from '../../server/src/core/testing/stakes.ts';

/** Uneven, so that rounding and remainders show. In percent, as settings are saved. */
const shares = { baseReward: 49.99, bonusReward: 20.01, loyaltyReward: 28.5 };
const inBasisPoints = { baseReward: 4_999, bonusReward: 2_001, loyaltyReward: 2_850 };

const dayMs = 86_400_000;
export const dayAfter = (day: string, days: number) =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);

type World = { users: number; firstDay: string; enabled: boolean; endingWithin?: number };

/**
 * Adds users of every rank with stakes of uneven amounts that run for ten years, two for every tenth user, all placed a
 * month before the first day. With `endingWithin`, every seventh user has stakes that end in that many days instead.
 * The day before the first one is already paid, so that payouts continue with the first day.
 */
export async function placeStakes(owner: Database, { users, firstDay, enabled, endingWithin = 0 }: World) {
  const placedOn = dayAfter(firstDay, -30);
  await fillTreasury(owner, 'USD', 10n ** 17n);
  await owner.transaction().execute(async (tx) => {
    await sql`
      insert into stake_plan (days, daily_rate_ppm)
      select days, 1300 from generate_series(30, 29 + ${endingWithin}::int) as days union all values (3650, 1300)
      on conflict do nothing`.execute(tx);
    await sql`
      with added as (
        insert into platform_user (user_id, username, wallet, sol_wallet_address, referral_code, rank, created_at)
        select 'K-' || n, 'staker.' || n, 'wallet-k-' || n, 'sol-k-' || n, 'STAKER' || n,
          (enum_range(null::user_rank))[1 + n % 4], ${placedOn}::date
        from generate_series(1, ${users}::int) as n
        returning id, user_id, substr(user_id, 3)::int as n
      )
      insert into stake (stake_id, user_id, plan_id, amount_usd, amount_sol, days, daily_rate_ppm, created_at, ends_on)
      select concat_ws('-', 'S', added.user_id, place), added.id, plan.id, 20000000 + n::bigint * 7919 + place * 13, 0,
        plan.days, plan.daily_rate_ppm, ${placedOn}::date + time '12:00', ${placedOn}::date + plan.days
      from added cross join generate_series(1, case when n % 10 = 0 then 2 else 1 end) as place
      join stake_plan as plan on plan.daily_rate_ppm = 1300
        and plan.days = case when n % 7 = 0 and ${endingWithin} > 0 then 30 + n % greatest(${endingWithin}::int, 1) else 3650 end`.execute(
      tx,
    );
    await sql`
      insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units)
      select ${placedOn}::date, move.kind, id, 0, user_id, 'USD', move.debit, move.credit, amount_usd
      from stake, (values
        ('deposit'::transfer_kind, 'outside'::ledger_account, 'available'::ledger_account), ('stake', 'available', 'staked')
      ) as move (kind, debit, credit)
      order by move.kind, user_id`.execute(tx);
    await sql`
      insert into deposit (id, user_id, asset, units)
      select cause_id, user_id, asset, units from transfer where kind = 'deposit' on conflict do nothing`.execute(tx);
    await sealUnsealed(tx, ['deposit']);
    await sql`
      insert into job_settings (job, version, settings, effective_from)
      values ('stake-payout', 2, ${JSON.stringify({ ...shares, enabled })}::jsonb, '1970-01-01')`.execute(tx);
    const first = await tx.selectFrom('stake').select(['id', 'userId']).limit(1).executeTakeFirstOrThrow();
    const { id: causeId, userId } = first;
    const paid = { debit: 'stake_rewards', credit: 'available', asset: 'USD', units: 1n } as const;
    await post(tx, [{ ...paid, kind: 'stake-base', part: 0, causeId, userId, day: dayAfter(firstDay, -1) }]);
  });
  // The planner has no statistics on the new rows yet.
  await runQuery(owner, sql`analyze platform_user, stake, transfer, user_total`);
}

/** Returns what each stake must get for a day, by the formulas of the contract. */
async function dueOf(owner: Database) {
  const stakes = await owner
    .selectFrom('stake')
    .innerJoin('platformUser', 'platformUser.id', 'stake.userId')
    .select(['stake.id', 'stake.amountUsd', 'stake.dailyRatePpm', 'platformUser.rank'])
    .select(sql<string>`stake.ends_on::text`.as('endsOn'))
    .execute();
  return stakes.flatMap(({ id, amountUsd: amount, dailyRatePpm: rate, rank, endsOn }) => {
    const { base, bonus, loyalty } = stakeDay({ amount, rate, ranked: rank !== 'none', shares: inBasisPoints });
    return [
      { id, kind: 'stake-base', units: base, endsOn },
      { id, kind: 'stake-bonus', units: bonus, endsOn },
      { id, kind: 'stake-loyalty', units: loyalty, endsOn },
    ].filter(({ units }) => units > 0n);
  });
}

export type Payments = { missing: number; doubled: number; wrong: number; unasked: number };

/** Compares the transfers of each day that were not reversed with the due ones, one by one. */
export async function compareDays(owner: Database, days: readonly string[]): Promise<Payments> {
  const due = await dueOf(owner);
  const found = { missing: 0, doubled: 0, wrong: 0, unasked: 0 };
  await owner.transaction().execute(async (tx) => {
    await sql`create temp table due (cause_id uuid, kind transfer_kind, units bigint, ends_on date) on commit drop`.execute(
      tx,
    );
    await sql`
      insert into due select * from unnest(${due.map(({ id }) => id)}::uuid[],
        ${due.map(({ kind }) => kind)}::transfer_kind[], ${due.map(({ units }) => units)}::bigint[],
        ${due.map(({ endsOn }) => endsOn)}::date[])`.execute(tx);
    // The days were paid within minutes, and with older statistics a comparison can take longer than the whole proof.
    await sql`analyze due, transfer, run_line, run_line_dropped`.execute(tx);
    for (const day of days) {
      const [one] = await runQuery<Payments>(tx, comparisonOf(day));
      for (const key of ['missing', 'doubled', 'wrong', 'unasked'] as const) found[key] += one?.[key] ?? 0;
    }
  });
  return found;
}

/** A payment is not missing if the last run of the day found its user blacklisted, in the plan or when it was paid. */
const comparisonOf = (day: string) => sql<Payments>`
  with reversed as (
    select reverses as id from transfer where day = ${day}::date and reverses is not null
  ), posted as (
    select cause_id, kind, count(*) as times, min(units) as least, max(units) as most
    from transfer left join reversed using (id)
    where day = ${day}::date and kind in ('stake-base', 'stake-bonus', 'stake-loyalty') and reverses is null
      and reversed.id is null
    group by cause_id, kind
  ), last as (
    select id from run
    where kind = 'stake-payout' and day = ${day}::date and reverses is null and state = 'completed'
    order by created_at desc limit 1
  ), excused as (
    select cause_id from run_line join last on last.id = run_id where day = ${day}::date and skip = 'blacklisted'
    union
    select cause_id from run_line_dropped join last on last.id = run_id where skip = 'blacklisted'
  )
  select (count(*) filter (where posted.cause_id is null and excused.cause_id is null))::int as missing,
    (count(*) filter (where times > 1))::int as doubled,
    (count(*) filter (where least <> units or most <> units))::int as wrong,
    (count(*) filter (where due.cause_id is null))::int as unasked
  from (select * from due where ends_on >= ${day}::date) as due
  full join posted using (cause_id, kind)
  left join excused using (cause_id)`;

export const isFlawless = (payments: Payments) => Object.values(payments).every((count) => count === 0);
