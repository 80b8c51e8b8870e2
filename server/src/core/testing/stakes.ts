import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '#server/core/db/db.ts';
import { post } from '#server/core/ledger/ledger.ts';
import { deposit, postDeposits } from './transfers.ts';

/** The rate is in parts per million. */
type NewStake = { userId: string; units: bigint; days?: number; rate?: number; placedOn: string };

/** Adds a deposit and a stake of the same amount, as the platform records them, and returns the id of the stake. */
export function addStake(owner: Database, { userId, units, days = 30, rate = 1_000, placedOn }: NewStake) {
  return owner.transaction().execute(async (tx) => {
    await sql`insert into stake_plan (days, daily_rate_ppm) values (${days}, ${rate}) on conflict do nothing`.execute(
      tx,
    );
    const { rows } = await sql<{ id: string }>`
      insert into stake (stake_id, user_id, plan_id, amount_usd, amount_sol, days, daily_rate_ppm, created_at, ends_on)
      select ${randomUUID()}, ${userId}::uuid, id, ${units}, 0, days, daily_rate_ppm, ${placedOn}::date + time '12:00',
        ${placedOn}::date + days
      from stake_plan where days = ${days} and daily_rate_ppm = ${rate}
      returning id`.execute(tx);
    const id = rows[0]?.id;
    if (id === undefined) throw new Error('The stake was not placed.');
    const placed = { kind: 'stake', causeId: id, day: placedOn, debit: 'available', credit: 'staked' } as const;
    await postDeposits(tx, [deposit({ userId, units, day: placedOn })]);
    await post(tx, [deposit({ userId, units, ...placed })]);
    return id;
  });
}

/** Adds to the treasury, from which the platform pays. */
export function fillTreasury(owner: Database, asset: 'USD' | 'GMP', units: bigint) {
  return owner
    .transaction()
    .execute((tx) => postDeposits(tx, [deposit({ userId: null, asset, units, credit: 'treasury' })]));
}
