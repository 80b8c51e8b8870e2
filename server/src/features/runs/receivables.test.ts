import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { RunKind } from 'contract/run-kinds.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { runsOf, setCollection, setRunLimit } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { deposit, takeAway } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import { post } from '#server/core/ledger/ledger.ts';
import { treasuryOf } from '#server/core/ledger/lines.ts';
import { decisionOn } from './paying/decision.ts';
import { replanUser } from './planning/replan.ts';
import { readRun } from './reading/detail.ts';

const now = new Date('2026-03-11T12:00:00Z');
const whole = 10n ** 15n;

let db: Awaited<ReturnType<typeof testDatabase>>;
let runs: ReturnType<typeof runsOf>;
let ledger: ReturnType<typeof ledgerOf>;
beforeEach(async () => {
  db = await testDatabase();
  runs = runsOf(db);
  ledger = ledgerOf(db);
  await addAdmin(db.database, { username: 'ann' });
  await setRunLimit(db.owner, 10n ** 15n);
  await fillTreasury(db.owner, 'USD', whole);
  await fillTreasury(db.owner, 'GMP', whole);
  await runs.save('stake-payout', { enabled: true, baseReward: 50, bonusReward: 20, loyaltyReward: 30 });
  return () => db[Symbol.asyncDispose]();
});

async function pay(kind: RunKind, at = now) {
  const { id } = await runs.create(kind, at);
  await runs.plan(id);
  expect(await runs.start(id)).toBeUndefined();
  return runs.pay(id);
}

async function reverse(id: string) {
  const reversal = await runs.reverse(id);
  expect(await runs.start(reversal.id)).toBeUndefined();
  return runs.pay(reversal.id);
}

const spend = (userId: string, units: bigint) =>
  db.owner.transaction().execute((tx) => takeAway(tx, { userId, units }));

const receivables = async () =>
  (
    await sql<{ userId: string; asset: string; units: bigint }>`
    select user_id, asset, units from receivable order by units`.execute(db.owner)
  ).rows;

test('a reversal takes what is available, and the user owes the rest of all their payments', async () => {
  const [kept, spender] = [await addUser(db.owner), await addUser(db.owner)];
  for (const userId of [kept.id, spender.id, spender.id]) {
    await addStake(db.owner, { userId, units: 1_000_000_000n, placedOn: '2026-03-01' });
  }
  const paid = await pay('stake-payout');
  expect(await ledger.totalsOf(spender.id)).toMatchObject({ availableUsd: 1_000_000n });
  await spend(spender.id, 700_000n);
  const reversal = await reverse(paid.id);
  expect(reversal).toMatchObject({ state: 'completed', lines: 3n, skipped: 0n });
  expect(await receivables()).toEqual([{ userId: spender.id, asset: 'USD', units: 700_000n }]);
  expect(await ledger.totalsOf(kept.id)).toMatchObject({ availableUsd: 0n, stakedEarnedUsd: 0n, receivableUsd: 0n });
  expect(await ledger.totalsOf(spender.id)).toMatchObject({
    availableUsd: 0n,
    stakedEarnedUsd: 0n,
    receivableUsd: 700_000n,
  });
  expect(await runs.read(paid.id)).toMatchObject({ reversed: 'fully' });
  await ledger.expectSound();

  // The 700,000 that the user spent went to the treasury, which got the whole payment back on its balance; what is owed
  // is not money that it can pay.
  expect(await treasuryOf(db.database, 'USD')).toBe(whole);
  expect(await pay('stake-payout')).toMatchObject({ state: 'completed', part: 1, skipped: 0n });
  expect(await ledger.totalsOf(spender.id)).toMatchObject({
    availableUsd: 300_000n,
    stakedEarnedUsd: 1_000_000n,
    receivableUsd: 0n,
  });
  await ledger.expectSound();
});

async function paidSpentAndReversed(userId: string, spent = 400_000n) {
  await addStake(db.owner, { userId, units: 1_000_000_000n, placedOn: '2026-03-01' });
  const paid = await pay('stake-payout');
  await spend(userId, spent);
  const reversal = await runs.reverse(paid.id, userId);
  await runs.start(reversal.id);
  await runs.pay(reversal.id);
  expect(await ledger.totalsOf(userId)).toMatchObject({ availableUsd: 0n, receivableUsd: spent });
  return paid;
}

async function payAgain(id: string, user: string) {
  const actor = await db.owner.selectFrom('admin').select('id').executeTakeFirstOrThrow();
  const { run } = await db.owner
    .transaction()
    .execute((tx) => replanUser(tx, { actor: actor as Actor, enqueue: async () => undefined, id, user }));
  await runs.plan(run.id);
  expect(await runs.start(run.id)).toBeUndefined();
  return runs.pay(run.id);
}

test('paying one user again settles what they owe since the reversal of that payment', async () => {
  const [user, other] = [await addUser(db.owner), await addUser(db.owner)];
  await addStake(db.owner, { userId: other.id, units: 1_000_000_000n, placedOn: '2026-03-01' });
  const paid = await paidSpentAndReversed(user.id);
  const before = await ledger.totalsOf(other.id);
  const couldPay = await treasuryOf(db.database, 'USD');
  const again = await payAgain(paid.id, user.id);
  expect(again).toMatchObject({ state: 'completed', onlyUser: user.id, pays: 500_000n });
  expect(await ledger.totalsOf(user.id)).toMatchObject({
    availableUsd: 100_000n,
    stakedEarnedUsd: 500_000n,
    receivableUsd: 0n,
  });
  expect(await ledger.totalsOf(other.id)).toEqual(before);
  // The reward and the loyalty that is set aside cost 800,000, and the settlement returns 400,000.
  expect(await treasuryOf(db.database, 'USD')).toBe(couldPay - 400_000n);
  expect((await readRun(db.database, again.id, { id: again.id })).progress.receivables).toEqual({
    users: 1,
    amount: '0.40',
  });
  await ledger.expectSound();

  // What was settled is owed again if the second payment is reversed too, and settled by the third.
  await reverse(again.id);
  expect(await ledger.totalsOf(user.id)).toMatchObject({ availableUsd: 0n, receivableUsd: 400_000n });
  await payAgain(paid.id, user.id);
  expect(await ledger.totalsOf(user.id)).toMatchObject({ availableUsd: 100_000n, receivableUsd: 0n });
  await ledger.expectSound();
});

/** Writes off what a user owes, by an adjustment that is already posted. */
const writeOff = (userId: string, units: bigint) =>
  db.owner.transaction().execute(async (tx) => {
    const { id: madeBy } = await tx.selectFrom('admin').select('id').executeTakeFirstOrThrow();
    const accounts = { account: 'receivable', otherAccount: 'treasury' } as const;
    const forgiven = { userId, units, asset: 'USD', reason: 'Forgiven', madeBy, postedAt: new Date() } as const;
    const { id: causeId } = await tx
      .insertInto('adjustment')
      .values({ id: randomUUID(), ...forgiven, ...accounts })
      .returning('id')
      .executeTakeFirstOrThrow();
    await post(tx, [deposit({ userId, units, causeId, kind: 'adjustment', debit: 'treasury', credit: 'receivable' })]);
  });

test('paying again settles no more than is still owed, and other payments settle nothing', async () => {
  const { id: userId } = await addUser(db.owner, { rank: 'Silver' });
  const paid = await paidSpentAndReversed(userId);
  await runs.save('rank-bonus', { rank: 'Silver', bonusAmount: '10.00' });
  await pay('rank-bonus');
  expect(await ledger.totalsOf(userId)).toMatchObject({ availableUsd: 10_000_000n, receivableUsd: 400_000n });
  await writeOff(userId, 300_000n);
  // The payment of 700,000 settles the 100,000 that are left.
  await payAgain(paid.id, userId);
  expect(await ledger.totalsOf(userId)).toMatchObject({ availableUsd: 10_600_000n, receivableUsd: 0n });
  await ledger.expectSound();
});

async function payBonus(bonusAmount: string, at = now) {
  await runs.save('rank-bonus', { rank: 'Silver', bonusAmount });
  return pay('rank-bonus', at);
}

test('with a collection limit, other payments are collected up to it, and the user keeps the rest', async () => {
  const [debtor, other] = [await addUser(db.owner, { rank: 'Silver' }), await addUser(db.owner, { rank: 'Silver' })];
  await paidSpentAndReversed(debtor.id);
  await setCollection(db.owner, 150_000n);
  const paid = await payBonus('10.00');
  expect(paid).toMatchObject({ state: 'completed', pays: 20_000_000n, collects: 150_000n });
  expect(decisionOn(paid).payload.facts).toContainEqual({ key: 'collects', value: '150000 USD' });
  expect(await ledger.totalsOf(other.id)).toMatchObject({ availableUsd: 10_000_000n, receivableUsd: 0n });
  expect(await ledger.totalsOf(debtor.id)).toMatchObject({
    availableUsd: 9_850_000n,
    weeklyRankBonusUsd: 10_000_000n,
    receivableUsd: 250_000n,
  });
  const { progress } = await readRun(db.database, paid.id, { id: paid.id });
  expect(progress.receivables).toEqual({ users: 1, amount: '0.15' });
  await ledger.expectSound();

  // What was collected is owed again if that payment is reversed.
  await spend(debtor.id, 9_850_000n);
  await reverse(paid.id);
  expect(await ledger.totalsOf(debtor.id)).toMatchObject({ availableUsd: 0n, receivableUsd: 10_250_000n });
  await ledger.expectSound();
});

test('a run collects no more than it pays the user and no more than they owe', async () => {
  const { id: userId } = await addUser(db.owner, { rank: 'Silver' });
  await paidSpentAndReversed(userId);
  await setCollection(db.owner, whole);
  await payBonus('0.30');
  expect(await ledger.totalsOf(userId)).toMatchObject({ availableUsd: 0n, receivableUsd: 100_000n });
  await reverse((await payBonus('0.40', new Date('2026-03-20T12:00:00Z'))).id);
  expect(await ledger.totalsOf(userId)).toMatchObject({ availableUsd: 0n, receivableUsd: 100_000n });
  await ledger.expectSound();
});

test('a plan collects what was the limit when it was made', async () => {
  const { id: userId } = await addUser(db.owner, { rank: 'Silver' });
  await paidSpentAndReversed(userId);
  await runs.save('rank-bonus', { rank: 'Silver', bonusAmount: '10.00' });
  const { id } = await runs.create('rank-bonus', now);
  await runs.plan(id);
  await setCollection(db.owner, whole);
  await runs.start(id);
  expect(await runs.pay(id)).toMatchObject({ state: 'completed', collects: 0n });
  expect(await ledger.totalsOf(userId)).toMatchObject({ availableUsd: 10_000_000n, receivableUsd: 400_000n });
});

test('a referral bonus that a later check pays again settles what is owed for it', async () => {
  await runs.save('referral-check', { period: 30, reward: 5 });
  const { id: sponsorId } = await addUser(db.owner);
  for (const placedOn of ['2026-03-01', '2026-03-02']) {
    const { id: userId } = await addUser(db.owner, { sponsorId, createdAt: new Date('2026-03-01') });
    await addStake(db.owner, { userId, units: 100_000_000n, placedOn });
  }
  const paid = await pay('referral-check');
  expect(await ledger.totalsOf(sponsorId)).toMatchObject({ availableUsd: 10_000_000n });
  await spend(sponsorId, 7_000_000n);
  await reverse(paid.id);
  expect(await ledger.totalsOf(sponsorId)).toMatchObject({ availableUsd: 0n, receivableUsd: 7_000_000n });
  const { id } = await runs.create('referral-check', new Date('2026-03-12T12:00:00Z'));
  await runs.plan(id);
  await runs.start(id);
  expect(await runs.pay(id)).toMatchObject({ pays: 10_000_000n });
  expect(await ledger.totalsOf(sponsorId)).toMatchObject({ availableUsd: 3_000_000n, receivableUsd: 0n });
  await ledger.expectSound();
});

test('GMP that was spent is owed in GMP', async () => {
  const schedule = { frequency: 'Daily', time: '00:00', enabled: true, weekday: 1, utcOffset: 0 };
  await runs.save('gmp-distro', { ...schedule, amount: '100.00', percentage: 100 });
  const { id: userId } = await addUser(db.owner);
  await ledger.posted(deposit({ userId, asset: 'SHARE', units: 25n }));
  const paid = await pay('gmp-distro');
  const { availableGmp } = await ledger.totalsOf(userId);
  await db.owner.transaction().execute((tx) => takeAway(tx, { userId, units: availableGmp - 5n, asset: 'GMP' }));
  expect(await reverse(paid.id)).toMatchObject({ state: 'completed' });
  expect(await receivables()).toEqual([{ userId, asset: 'GMP', units: availableGmp - 5n }]);
  expect(await ledger.totalsOf(userId)).toMatchObject({ availableGmp: 0n, gmpEarnings: 0n, receivableUsd: 0n });
  await ledger.expectSound();
});

test('a stake is locked again only if its owner still has it, and then they owe the spent reward', async () => {
  const [owner, gone] = [await addUser(db.owner), await addUser(db.owner)];
  for (const { id: userId } of [owner, gone]) {
    await addStake(db.owner, { userId, units: 1_000_000_000n, days: 9, placedOn: '2026-03-01' });
  }
  const paid = await pay('stake-payout');
  expect(paid).toMatchObject({ returned: 2_000_000_000n });
  const { availableUsd } = await ledger.totalsOf(owner.id);
  const reward = availableUsd - 1_000_000_000n;
  expect(reward).toBeGreaterThan(0n);
  await spend(owner.id, reward);
  await spend(gone.id, reward + 1n);
  const planned = await runs.reverse(paid.id);
  expect(planned).toMatchObject({ lines: 2n, skips: { spent: 1 }, returned: 1_000_000_000n });
  await runs.start(planned.id);
  expect(await runs.pay(planned.id)).toMatchObject({ state: 'completed' });
  expect(await receivables()).toEqual([{ userId: owner.id, asset: 'USD', units: reward }]);
  expect(await ledger.totalsOf(owner.id)).toMatchObject({ availableUsd: 0n, stakedUsd: 1_000_000_000n });
  expect(await ledger.totalsOf(gone.id)).toMatchObject({ availableUsd: 999_999_999n, receivableUsd: 0n });
  await ledger.expectSound();
});

test('nobody owes anything for a payment that is not reversed, and a receivable is never changed', async () => {
  const { id: userId } = await addUser(db.owner);
  await addStake(db.owner, { userId, units: 1_000_000_000n, placedOn: '2026-03-01' });
  const paid = await pay('stake-payout');
  await spend(userId, 500_000n);
  expect(await receivables()).toEqual([]);
  await reverse(paid.id);
  await expect(sql`update receivable set units = 1`.execute(db.owner)).rejects.toMatchObject({ code: 'BU002' });
  await expect(sql`delete from receivable`.execute(db.owner)).rejects.toMatchObject({ code: 'BU002' });
  await expect(
    ledger.posted({ ...deposit({ userId, asset: 'SHARE' }), kind: 'receivable', debit: 'receivable' }),
  ).rejects.toThrow('transfer_receivable_asset_check');
});
