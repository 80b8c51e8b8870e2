import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { countersOf, foldBy, whileFolding } from '#server/core/testing/counters.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { foldCounts } from './queries.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'ann' });
const token = await server.signIn('ann');
const { id: userId } = await addUser(db.owner);
const plan = await db.owner.selectFrom('stakePlan').selectAll().limit(1).executeTakeFirstOrThrow();

const fold = foldBy(db, foldCounts);
const { expectExact, expectFolded } = countersOf(db, { table: 'stake', sums: 'amount_usd' });

let stakes = 0;

function place() {
  stakes += 1;
  const stakeId = `S-${stakes}`;
  const terms = { planId: plan.id, days: plan.days, dailyRatePpm: plan.dailyRatePpm, endsOn: '2026-03-31' };
  const amounts = { amountUsd: BigInt(1 + Math.floor(Math.random() * 5_000_000)), amountSol: 1n };
  return db.database.transaction().execute((tx) =>
    tx
      .insertInto('stake')
      .values({ stakeId, userId, ...terms, ...amounts })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
}

const complete = (id: string) =>
  db.database
    .transaction()
    .execute((tx) =>
      tx
        .updateTable('stake')
        .set({ status: 'Completed', completedAt: new Date() })
        .where('id', '=', id)
        .where('status', '=', 'Active')
        .execute(),
    );

test('the counters and sums stay exact while several workers fold them during writes', async () => {
  const write = async (step: number) => {
    const { id } = await place();
    if (step % 3 > 0) await Promise.all([complete(id), complete(id)]);
  };
  await whileFolding({ fold, look: expectExact, write });
});

test('folding leaves one row per status', async () => {
  await fold();
  await expectFolded();
});

test('the figures match the stakes', async () => {
  const { rows } = await sql<Record<string, string>>`
    select count(*)::text as total, count(*) filter (where status = 'Active')::text as active,
      count(*) filter (where status = 'Completed')::text as completed, sum(amount_usd)::text as staked,
      sum(amount_usd) filter (where status = 'Active')::text as active_staked
    from stake`.execute(db.owner);
  const [truth] = rows;
  const { json } = await server.call('GET', '/api/staking/figures', { token });
  const units = (amount: unknown) => {
    const [whole = '', fraction = ''] = String(amount).split('.');
    return String(BigInt(whole + fraction.padEnd(6, '0')));
  };
  expect({
    total: String(json['total']),
    active: String(json['active']),
    completed: String(json['completed']),
    staked: units(json['totalStaked']),
    activeStaked: units(json['activeStaked']),
  }).toEqual(truth);
});
