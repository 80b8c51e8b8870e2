import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Rank } from 'contract/ranks.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { runsOf, setRunLimit } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { addUser } from '#server/core/testing/user.ts';

/* A payment uses the rules and the facts of the day that is paid, no matter when it is planned. */

const day = '2026-03-10';
const paidAt = new Date('2026-03-11T00:05:00Z');
const later = new Date('2026-03-18T12:00:00Z');
const shares = { enabled: true, baseReward: 50, bonusReward: 20, loyaltyReward: 30 };

async function open() {
  const db = await testDatabase();
  const { id: admin } = await addAdmin(db.owner, { username: 'ann' });
  await fillTreasury(db.owner, 'USD', 10n ** 18n);
  await setRunLimit(db.owner, 10n ** 18n);
  const runs = runsOf(db);

  const payNow = async (id: string) => {
    await runs.plan(id);
    expect(await runs.start(id)).toBeUndefined();
    return runs.pay(id);
  };
  return {
    db,
    runs,
    ledger: ledgerOf(db),
    pay: async (kind: Parameters<typeof runs.create>[0], now: Date) => payNow((await runs.create(kind, now)).id),
    reverse: async (id: string) => {
      const reversal = await runs.reverse(id);
      await runs.start(reversal.id);
      return runs.pay(reversal.id);
    },
    /** What a run pays to whom, without the parts of its keys. */
    linesOf: async (id: string) =>
      (await runs.linesOf(id)).map(({ runId: _runId, part: _part, chunk: _chunk, ...line }) => line),
    promote: async (userId: string, { from, to, madeAt }: { from: Rank | 'none'; to: Rank | 'none'; madeAt: Date }) => {
      await sql`insert into rank_change (user_id, from_rank, to_rank, reason, made_by, made_at)
        values (${userId}::uuid, ${from}, ${to}, 'Earned', ${admin}::uuid, ${madeAt})`.execute(db.owner);
      await sql`update platform_user set rank = ${to}::user_rank where id = ${userId}::uuid`.execute(db.owner);
    },
  };
}

test('a day that is reversed and planned again pays the same amounts, although a user was promoted since', async () => {
  const { db, runs, ledger, pay, reverse, linesOf, promote } = await open();
  await runs.save('stake-payout', shares);
  for (const rank of ['none', 'Gold'] as const) {
    const { id: userId } = await addUser(db.owner, { rank });
    await addStake(db.owner, { userId, units: 100_000_000n, placedOn: '2026-03-01' });
  }
  const first = await pay('stake-payout', paidAt);
  expect(first).toMatchObject({ state: 'completed', period: day });
  const [unranked, ranked] = await db.owner.selectFrom('platformUser').select(['id', 'rank']).orderBy('rank').execute();
  await promote(unranked?.id ?? '', { from: 'none', to: 'Silver', madeAt: new Date('2026-03-12T09:00:00Z') });
  await promote(unranked?.id ?? '', { from: 'Silver', to: 'Gold', madeAt: new Date('2026-03-13T09:00:00Z') });
  await promote(ranked?.id ?? '', { from: 'Gold', to: 'none', madeAt: new Date('2026-03-12T09:00:00Z') });
  await reverse(first.id);

  const again = await pay('stake-payout', paidAt);
  expect(again).toMatchObject({ state: 'completed', period: day, pays: first.pays });
  expect(await linesOf(again.id)).toEqual(await linesOf(first.id));
  await ledger.expectSound();
  await db[Symbol.asyncDispose]();
});

test('a stake that was over when it was imported is not paid when an earlier day is paid again', async () => {
  const { db, runs, pay, reverse, linesOf } = await open();
  await runs.save('stake-payout', shares);
  const [{ id: userId }, { id: importedId }] = [await addUser(db.owner), await addUser(db.owner)];
  await addStake(db.owner, { userId, units: 100_000_000n, placedOn: '2026-03-01' });
  const stakeId = await addStake(db.owner, { userId: importedId, units: 100_000_000n, placedOn: '2026-03-01' });
  // It ended early on the earlier platform, which an import does not say.
  await db.ownerPool.query(`
    begin; set local session_replication_role = replica;
    update stake set status = 'Completed', completed_at = '2026-03-05' where id = '${stakeId}'; commit`);
  const first = await pay('stake-payout', paidAt);
  expect(await linesOf(first.id)).toHaveLength(1);
  await reverse(first.id);
  const again = await pay('stake-payout', paidAt);
  expect(await linesOf(again.id)).toEqual(await linesOf(first.id));
  await db[Symbol.asyncDispose]();
});

test('a promotion at the end of a day counts for that day, and one after midnight does not', async () => {
  const { db, runs, pay, promote } = await open();
  await runs.save('stake-payout', shares);
  const promotionTimes = ['2026-03-10T23:59:59.999Z', '2026-03-11T00:00:00Z'];
  for (const madeAt of promotionTimes) {
    const { id: userId } = await addUser(db.owner, { username: madeAt.slice(8, 13) });
    await addStake(db.owner, { userId, units: 100_000_000n, placedOn: '2026-03-01' });
    await promote(userId, { from: 'none', to: 'Silver', madeAt: new Date(madeAt) });
  }
  const { id } = await pay('stake-payout', new Date('2026-03-11T08:00:00Z'));
  const bonuses = await db.owner
    .selectFrom('runLine')
    .innerJoin('platformUser', 'platformUser.id', 'runLine.userId')
    .select(['username', 'bonus'])
    .where('runId', '=', id)
    .orderBy('username')
    .execute();
  expect(bonuses).toEqual([
    { username: '10T23', bonus: 20_000n },
    { username: '11T00', bonus: 0n },
  ]);
  await db[Symbol.asyncDispose]();
});

test('settings apply from the day they take effect, and a reversed day is paid again with those of its own day', async () => {
  const { db, runs, ledger, pay, reverse, linesOf } = await open();
  await runs.save('stake-payout', shares);
  const { id: userId } = await addUser(db.owner, { rank: 'Gold' });
  await addStake(db.owner, { userId, units: 100_000_000n, placedOn: '2026-03-01' });
  const first = await pay('stake-payout', paidAt);
  await runs.save('stake-payout', { ...shares, baseReward: 40 }, { effectiveFrom: '2026-03-11' });
  await reverse(first.id);

  const again = await pay('stake-payout', paidAt);
  expect(await linesOf(again.id)).toEqual(await linesOf(first.id));
  const next = await pay('stake-payout', new Date('2026-03-12T00:05:00Z'));
  expect(next).toMatchObject({ period: '2026-03-11', settingsVersion: 3, pays: 60_000n });

  await runs.save('stake-payout', { ...shares, baseReward: 45 }, { effectiveFrom: day });
  await reverse(again.id);
  const corrected = await pay('stake-payout', new Date('2026-03-12T00:05:00Z'));
  expect(corrected).toMatchObject({ period: day, settingsVersion: 4, pays: 65_000n });
  await ledger.expectSound();
  await db[Symbol.asyncDispose]();
});

test('a rank bonus that is reversed and planned again pays the holders and the amount of its first payment', async () => {
  const { db, runs, ledger, pay, reverse, promote } = await open();
  await runs.save('rank-bonus', { rank: 'Silver', bonusAmount: '10.00' }, { effectiveFrom: day });
  const holder = await addUser(db.owner, { rank: 'Silver' });
  const promoted = await addUser(db.owner, { rank: 'none' });
  const first = await pay('rank-bonus', paidAt);
  expect(first).toMatchObject({ period: '2026-W11 Silver', pays: 10_000_000n });
  await runs.save('rank-bonus', { rank: 'Silver', bonusAmount: '99.00' }, { effectiveFrom: '2026-03-12' });
  await promote(holder.id, { from: 'Silver', to: 'Gold', madeAt: new Date('2026-03-12T09:00:00Z') });
  await promote(promoted.id, { from: 'none', to: 'Silver', madeAt: new Date('2026-03-12T09:00:00Z') });
  await reverse(first.id);

  const again = await pay('rank-bonus', new Date('2026-03-13T12:00:00Z'));
  expect(again).toMatchObject({ period: '2026-W11 Silver', settingsVersion: 2, pays: 10_000_000n });
  expect(await runs.linesOf(again.id)).toEqual([expect.objectContaining({ userId: holder.id, base: 10_000_000n })]);
  await ledger.expectSound();
  await db[Symbol.asyncDispose]();
});

test('a sponsor is paid for a first stake in the period, however long ago the user joined', async () => {
  const { db, runs, ledger, pay } = await open();
  await runs.save('referral-check', { period: 30, reward: 5 });
  const sponsor = await addUser(db.owner, { createdAt: new Date('2025-01-01') });
  const joinedLongAgo = { sponsorId: sponsor.id, createdAt: new Date('2025-06-01') };
  const { id: userId } = await addUser(db.owner, joinedLongAgo);
  await addUser(db.owner, joinedLongAgo);
  const earlier = await addUser(db.owner, joinedLongAgo);
  await addStake(db.owner, { userId: earlier.id, units: 100_000_000n, placedOn: '2025-12-01' });
  await addStake(db.owner, { userId: earlier.id, units: 100_000_000n, placedOn: '2026-03-15' });
  await addStake(db.owner, { userId, units: 100_000_000n, placedOn: '2026-03-15' });
  const { id } = await pay('referral-check', later);
  expect(await runs.linesOf(id)).toEqual([
    expect.objectContaining({ userId: sponsor.id, causeId: userId, base: 5_000_000n, skip: null }),
  ]);
  await ledger.expectSound();
  await db[Symbol.asyncDispose]();
});

test('first stakes that no check looked at in time are reported, once', async () => {
  const { db, runs, pay } = await open();
  await runs.save('referral-check', { period: 3, reward: 5 });
  const sponsor = await addUser(db.owner, { createdAt: new Date('2025-01-01') });
  const referred = async (placedOn: string) => {
    const { id: userId } = await addUser(db.owner, { sponsorId: sponsor.id, createdAt: new Date('2025-06-01') });
    await addStake(db.owner, { userId, units: 100_000_000n, placedOn });
    return userId;
  };
  const before = await referred('2026-03-01');
  await pay('referral-check', new Date('2026-03-03T12:00:00Z'));
  const late = await referred('2026-03-10');
  const inTime = await referred('2026-03-16');
  const { id } = await pay('referral-check', later);
  const lines = (await runs.linesOf(id)).map(({ causeId, base, skip }) => ({ causeId, base, skip }));
  expect(lines).toEqual(
    expect.arrayContaining([
      { causeId: late, base: 0n, skip: 'late' },
      { causeId: inTime, base: 5_000_000n, skip: null },
    ]),
  );
  expect(lines.map(({ causeId }) => causeId)).not.toContain(before);
  const next = await pay('referral-check', new Date(later.getTime() + 60_000));
  expect((await runs.linesOf(next.id)).map(({ skip }) => skip)).toEqual(['paid']);
  await db[Symbol.asyncDispose]();
});
