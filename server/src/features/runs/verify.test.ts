import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '#server/core/testing/database.ts';
import { findNewDifferences, ledgerOf, verifyBooks } from '#server/core/testing/ledger.ts';
import { runsOf, setRunLimit, steeringOf } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { eventually } from '#server/core/testing/stream.ts';
import { takeAway } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';

/* What a program with the login of a worker could post, and what a verification says about it. */

const now = new Date('2026-03-11T12:00:00Z');
let db: TestDatabase;
let runs: ReturnType<typeof runsOf>;
let userId: string;
let friend: string;
beforeEach(async () => {
  db = await testDatabase();
  runs = runsOf(db);
  await addAdmin(db.owner, { username: 'ann' });
  await fillTreasury(db.owner, 'USD', 10n ** 15n);
  await setRunLimit(db.owner, 10n ** 15n);
  await runs.save('stake-payout', { enabled: true, baseReward: 50, bonusReward: 20, loyaltyReward: 30 });
  ({ id: userId } = await addUser(db.owner));
  ({ id: friend } = await addUser(db.owner));
  await addStake(db.owner, { userId, units: 1_000_000_000n, days: 9, placedOn: '2026-03-01' });
  return () => db[Symbol.asyncDispose]();
});

async function pay() {
  const { id } = await runs.create('stake-payout', now);
  await runs.plan(id);
  await runs.start(id);
  return runs.pay(id);
}

async function faults() {
  const verdict = await verifyBooks(db.database);
  return 'faults' in verdict ? verdict.faults.join('\n') : '';
}

const inSql = (statement: ReturnType<typeof sql>) => db.worker.transaction().execute((tx) => statement.execute(tx));

test('a payment to another user than the planned one is found', async () => {
  await pay();
  await ledgerOf(db).expectSound();
  await sql`alter table transfer disable trigger user`.execute(db.owner);
  await sql`update transfer set user_id = ${friend}::uuid where kind = 'stake-base'`.execute(db.owner);
  expect(await faults()).toContain('what was posted differs from what was planned: 2026-03-10 stake-base');
});

test('a run that was completed in SQL before it paid everyone is found', async () => {
  const { id } = await runs.create('stake-payout', now);
  await runs.plan(id);
  await runs.start(id);
  await inSql(sql`update run set state = 'completed', ended_at = now() where id = ${id}::uuid`);
  expect(await faults()).toContain('a run’s sums are not those of its lines: stake-payout 2026-03-10');
});

test('a receivable that no run explains is found, in both forms of verification', async () => {
  const paid = await pay();
  await db.owner.transaction().execute((tx) => takeAway(tx, { userId, units: 100_000n }));
  const reversal = await runs.reverse(paid.id);
  await runs.start(reversal.id);
  await runs.pay(reversal.id);
  await ledgerOf(db).expectSound();
  await inSql(sql`
    with owed as (
      insert into receivable (run_id, user_id, asset, units)
      values (${reversal.id}::uuid, ${friend}::uuid, 'USD', 1000000000) returning id
    )
    insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units)
    select '2026-03-11', 'receivable', id, 0, ${friend}::uuid, 'USD', 'receivable', 'available', 1000000000 from owed`);
  const found = `a receivable is more than what its run moved: ${reversal.id} ${friend}`;
  expect(await faults()).toBe(found);
  expect(await db.owner.transaction().execute((tx) => findNewDifferences(tx))).toEqual([found]);
});

test('a transfer out of the account of task rewards that no task explains is found', async () => {
  await pay();
  await inSql(sql`
    insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units)
    values ('2026-03-11', 'funding', gen_random_uuid(), 0, null, 'USD', 'task_rewards', 'treasury', 1000000)`);
  expect(await faults()).toContain('a funding transfer has no source');
});

test('no program chooses the time or the number of a transfer', async () => {
  const columns = sql`day, kind, cause_id, part, user_id, asset, debit, credit, units`;
  const values = sql`'2026-03-11', 'funding', gen_random_uuid(), 0, null, 'USD', 'task_rewards', 'treasury', 1`;
  for (const database of [db.worker, db.database]) {
    for (const [column, value] of [
      ['at', sql`'1970-01-01'`],
      ['id', sql`1`],
    ] as const) {
      const insert = sql`insert into transfer (${columns}, ${sql.ref(column)}) values (${values}, ${value})`;
      const forged = database.transaction().execute((tx) => insert.execute(tx));
      await expect(forged).rejects.toMatchObject({ code: '42501' });
    }
  }
});

test('a stake that was returned while its run was being canceled is locked again by the reversal', async () => {
  const { id } = await runs.create('stake-payout', now);
  await runs.plan(id);
  await runs.start(id);
  const isPaid = async () =>
    (await sql`select from run_chunk where run_id = ${id}::uuid and paid_at is not null`.execute(db.owner)).rows
      .length > 0;
  let paying: Promise<unknown> = Promise.resolve();
  await db.owner.transaction().execute(async (tx) => {
    // As canceling does: the time is taken before the row is visible to others.
    await sql`update run set state = 'cancelled', ended_at = clock_timestamp(),
      why = '{"code":"cancelled","params":{"by":"ann"}}' where id = ${id}::uuid`.execute(tx);
    paying = runs.pay(id);
    await eventually(isPaid);
  });
  await paying;
  expect(await ledgerOf(db).totalsOf(userId)).toMatchObject({ stakedUsd: 0n });
  const reversal = await runs.reverse(id);
  expect(reversal).toMatchObject({ lines: 1n, skipped: 0n, returned: 1_000_000_000n });
  await steeringOf(db).start(reversal.id, reversal.planHash);
  await runs.pay(reversal.id);
  expect(await ledgerOf(db).totalsOf(userId)).toMatchObject({ stakedUsd: 1_000_000_000n });
  await ledgerOf(db).expectSound();
});
