import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '#server/core/testing/database.ts';
import { ledgerOf, verifyBooks } from '#server/core/testing/ledger.ts';
import { treasuryOf } from '#server/core/ledger/lines.ts';
import { takeAway } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';
import { runsOf, setRunLimit, testReason } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';

/* The money that runs take from the treasury and reserve in it. */
let db: TestDatabase;
let runs: ReturnType<typeof runsOf>;
let ledger: ReturnType<typeof ledgerOf>;
beforeEach(async () => {
  db = await testDatabase();
  runs = runsOf(db);
  ledger = ledgerOf(db);
  await addAdmin(db.owner, { username: 'ann' });
  await fillTreasury(db.owner, 'USD', 10n ** 15n);
  await setRunLimit(db.owner, 10n ** 15n);
  return () => db[Symbol.asyncDispose]();
});

const now = new Date('2026-03-11T12:00:00Z');
const day = '2026-03-10';

const leaveInTreasury = (units: bigint) =>
  db.owner.transaction().execute(async (tx) => {
    await takeAway(tx, { userId: null, units: (await treasuryOf(tx, 'USD')) - units });
  });

async function payDay() {
  const { id } = await runs.create('stake-payout', now);
  await runs.plan(id);
  await runs.start(id);
  return runs.pay(id);
}

test('two concurrent starts: only one can rely on the same treasury funds', async () => {
  const { id: userId } = await addUser(db.owner, { rank: 'Gold' });
  await addStake(db.owner, { userId, units: 10n ** 15n, rate: 500_000, placedOn: '2026-03-01' });
  const payout = await runs.create('stake-payout', now);
  await runs.plan(payout.id);
  await runs.save('rank-bonus', { rank: 'Gold', bonusAmount: '999999.00' });
  const bonus = await runs.create('rank-bonus', now);
  await runs.plan(bonus.id);
  await leaveInTreasury(500_000_000_000_000n);
  const refused = await Promise.all([runs.start(payout.id), runs.start(bonus.id)]);
  expect(refused.filter((why) => why !== undefined)).toHaveLength(1);
});

test('verification reports money that a run took from the treasury and did not pay out', async () => {
  const { id: userId } = await addUser(db.owner);
  await addStake(db.owner, { userId, units: 100_000_000n, placedOn: '2026-03-01' });
  const { id } = await payDay();
  await ledger.expectSound();
  const taken = { kind: 'funding', causeId: id, part: 99, userId: null, day, asset: 'USD', units: 1n } as const;
  await ledger.posted({ ...taken, debit: 'treasury', credit: 'stake_rewards' });
  expect(await verifyBooks(db.database)).toMatchObject({
    sound: false,
    faults: [`what was posted differs from what was planned: ${day} funding ${id}`],
  });
});

test('the treasury stays reserved for the unpaid rest of a failed run', async () => {
  const { id: userId } = await addUser(db.owner, { rank: 'Gold' });
  await addStake(db.owner, { userId, units: 10n ** 15n, rate: 500_000, placedOn: '2026-03-01' });
  const payout = await runs.create('stake-payout', now);
  await runs.plan(payout.id);
  await leaveInTreasury(500_000_000_000_000n);
  expect(await runs.start(payout.id)).toBeUndefined();
  await sql`update run set state = 'failed', why = ${testReason} where id = ${payout.id}`.execute(db.owner);
  await runs.save('rank-bonus', { rank: 'Gold', bonusAmount: '999999.00' });
  const bonus = await runs.create('rank-bonus', now);
  await runs.plan(bonus.id);
  expect(await runs.start(bonus.id)).toMatchObject({ code: 'treasury-too-low' });
});

test('a day without payments completes even if the treasury is overdrawn', async () => {
  const { id: userId } = await addUser(db.owner, { blacklistedAt: now, blacklistReason: 'Fraud' });
  await addStake(db.owner, { userId, units: 100_000_000n, placedOn: '2026-03-01' });
  await leaveInTreasury(-1n);
  expect(await payDay()).toMatchObject({ state: 'completed', lines: 1n, skipped: 1n });
});
