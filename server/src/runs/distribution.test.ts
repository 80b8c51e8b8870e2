import { poolOf, referralBonus, splitPool } from 'contract/formulas.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testDatabase } from '#server/testing/database.ts';
import { ledgerOf } from '#server/testing/ledger.ts';
import { addPerson } from '#server/testing/person.ts';
import { runsOf, setRunLimit } from '#server/testing/runs.ts';
import { addAdmin } from '#server/testing/server.ts';
import { addStake, fillTreasury } from '#server/testing/stakes.ts';
import { deposit } from '#server/testing/transfers.ts';

const now = new Date('2026-03-11T12:00:00Z');
const joined = new Date('2026-03-05T12:00:00Z');
const before = new Date('2026-01-01');

async function open() {
  const db = await testDatabase();
  await addAdmin(db.owner, { username: 'ann' });
  await fillTreasury(db.owner, 'USD', 10n ** 18n);
  await fillTreasury(db.owner, 'GMP', 10n ** 18n);
  await setRunLimit(db.owner, 10n ** 18n);
  return { db, runs: runsOf(db), ledger: ledgerOf(db) };
}

/** Where anything was paid at all. */
async function takeBack(runs: ReturnType<typeof runsOf>, id: string) {
  if (!(await runs.linesOf(id)).some(({ skip }) => skip === null)) return;
  const back = await runs.reverse(id);
  await runs.begin(back.id);
  await runs.pay(back.id);
}

const distribution = { frequency: 'Daily', time: '00:00', enabled: true, weekday: 1, utcOffset: 0 };

test('whoever holds how many shares, the pool is split to the unit as the rule says, and taken back whole', async () => {
  const holder = fc.record({
    shares: fc.bigInt({ min: 0n, max: 10n ** 12n }),
    barred: fc.constantFrom(null, null, null, 'blacklisted', 'deleted'),
  });
  const world = fc.record({
    holders: fc.array(holder, { minLength: 1, maxLength: 12 }),
    pool: fc.bigInt({ min: 1n, max: 10n ** 15n }),
    percentage: fc.nat(10_000),
  });
  await fc.assert(
    fc.asyncProperty(world, async ({ holders, pool, percentage }) => {
      const { db, runs, ledger } = await open();
      const amount = `${pool / 1_000_000n}.${String(pool % 1_000_000n).padStart(6, '0')}`;
      await runs.save('gmp-distro', { ...distribution, amount, percentage: percentage / 100 });
      const entitled: { id: string; shares: bigint }[] = [];
      for (const { shares, barred } of holders) {
        const { id } = await addPerson(db.owner, {
          ...(barred === 'blacklisted' && { blacklistedAt: before, blacklistReason: 'Fraud' }),
          ...(barred === 'deleted' && { retiredAt: before }),
        });
        if (shares > 0n) await ledger.posted(deposit({ userId: id, asset: 'SHARE', units: shares }));
        if (shares > 0n && !barred) entitled.push({ id, shares });
      }
      const { id } = await runs.create('gmp-distro', now);
      const planned = await runs.plan(id);
      const parts = splitPool(poolOf(pool, percentage), entitled);
      const lines = await runs.linesOf(id);
      const paid = lines.filter(({ skip }) => skip === null || skip === 'nothing');
      expect(new Map(paid.map(({ userId, base }) => [userId, base]))).toEqual(parts);
      expect(planned.pays).toBe(entitled.length > 0 ? poolOf(pool, percentage) : 0n);
      expect(await runs.begin(id)).toBeUndefined();
      expect(await runs.pay(id)).toMatchObject({ state: 'completed' });
      for (const { id: userId } of entitled) {
        expect(await ledger.totalsOf(userId)).toMatchObject({ gmpEarnings: parts.get(userId) ?? 0n });
      }
      await ledger.expectSound();
      await expect(runs.create('gmp-distro', now)).rejects.toThrow('NothingDue');
      await takeBack(runs, id);
      for (const { id: userId } of entitled) {
        expect(await ledger.totalsOf(userId)).toMatchObject({ gmpEarnings: 0n, availableGmp: 0n });
      }
      await ledger.expectSound();
      await db[Symbol.asyncDispose]();
    }),
    { numRuns: 15 },
  );
}, 300_000);

test('units that rounding left over go to the lowest ids among those who lost as much', async () => {
  const { db, runs, ledger } = await open();
  await runs.save('gmp-distro', { ...distribution, amount: '0.000008', percentage: 100 });
  const people = [];
  for (let n = 0; n < 5; n += 1) {
    const { id } = await addPerson(db.owner);
    await ledger.posted(deposit({ userId: id, asset: 'SHARE', units: 1n }));
    people.push(id);
  }
  const { id } = await runs.create('gmp-distro', now);
  await runs.plan(id);
  const lines = await runs.linesOf(id);
  expect(lines.map(({ userId, base }) => [userId, base])).toEqual(
    people.toSorted().map((userId, place) => [userId, place < 3 ? 2n : 1n]),
  );
  await db[Symbol.asyncDispose]();
});

test('a referral is paid once, ever: the sponsor’s share of the first stake of whoever staked and is not barred', async () => {
  const { db, runs, ledger } = await open();
  await runs.save('referral-check', { period: 30, reward: 5 });
  const sponsor = await addPerson(db.owner, { createdAt: before });
  const referred = async (changes: Parameters<typeof addPerson>[1] = {}) =>
    (await addPerson(db.owner, { sponsorId: sponsor.id, createdAt: joined, ...changes })).id;
  const staked = await referred();
  await addStake(db.owner, { userId: staked, units: 333_333_333n, placedOn: '2026-03-06' });
  await addStake(db.owner, { userId: staked, units: 900_000_000n, placedOn: '2026-03-08' });
  const idle = await referred();
  const barred = await referred({ blacklistedAt: before, blacklistReason: 'Fraud' });
  await addStake(db.owner, { userId: barred, units: 100_000_000n, placedOn: '2026-03-06' });
  const old = await referred({ createdAt: before });
  await addStake(db.owner, { userId: old, units: 100_000_000n, placedOn: '2026-03-06' });

  const { id } = await runs.create('referral-check', now);
  await runs.plan(id);
  const bonus = referralBonus(333_333_333n, 500);
  const line = (causeId: string, rest: object): unknown =>
    expect.objectContaining({ userId: sponsor.id, causeId, ...rest });
  const lines = await runs.linesOf(id);
  expect(lines).toHaveLength(3);
  expect(lines).toEqual(
    expect.arrayContaining([
      line(staked, { base: bonus, skip: null }),
      line(idle, { base: 0n, skip: 'not-staked' }),
      line(barred, { base: 0n, skip: 'blacklisted' }),
    ]),
  );
  await runs.begin(id);
  expect(await runs.pay(id)).toMatchObject({ state: 'completed' });
  expect(await ledger.totalsOf(sponsor.id)).toMatchObject({ referralBonusUsd: bonus });

  await addStake(db.owner, { userId: idle, units: 20_000_000n, placedOn: '2026-03-11' });
  const again = await runs.create('referral-check', new Date(now.getTime() + 60_000));
  await runs.plan(again.id);
  expect(await runs.linesOf(again.id)).toEqual(
    expect.arrayContaining([line(staked, { base: 0n, skip: 'paid' }), line(idle, { base: 1_000_000n, skip: null })]),
  );
  await runs.begin(again.id);
  await runs.pay(again.id);
  expect(await ledger.totalsOf(sponsor.id)).toMatchObject({ referralBonusUsd: bonus + 1_000_000n });
  await ledger.expectSound();
  await db[Symbol.asyncDispose]();
});

test('a rank is paid once in a week; another rank of the same week is another payment', async () => {
  const { db, runs, ledger } = await open();
  await runs.save('rank-bonus', { rank: 'Silver', bonusAmount: '10.00' });
  const silver = await addPerson(db.owner, { rank: 'Silver' });
  const gold = await addPerson(db.owner, { rank: 'Gold' });
  const barred = await addPerson(db.owner, { rank: 'Silver', blacklistedAt: before, blacklistReason: 'Fraud' });
  const pay = async () => {
    const { id } = await runs.create('rank-bonus', now);
    await runs.plan(id);
    await runs.begin(id);
    return runs.pay(id);
  };
  expect(await pay()).toMatchObject({ state: 'completed', period: '2026-W11 Silver', day: '2026-03-09', lines: 2n });
  expect(await ledger.totalsOf(silver.id)).toMatchObject({ weeklyRankBonusUsd: 10_000_000n });
  expect(await ledger.totalsOf(barred.id)).toMatchObject({ weeklyRankBonusUsd: 0n });
  await expect(pay()).rejects.toThrow('NothingDue');
  await db.owner
    .transaction()
    .execute((tx) => tx.updateTable('platformUser').set({ rank: 'Gold' }).where('id', '=', silver.id).execute());
  await runs.save('rank-bonus', { rank: 'Gold', bonusAmount: '25.00' });
  expect(await pay()).toMatchObject({ state: 'completed', period: '2026-W11 Gold', pays: 50_000_000n });
  expect(await ledger.totalsOf(silver.id)).toMatchObject({ weeklyRankBonusUsd: 35_000_000n });
  expect(await ledger.totalsOf(gold.id)).toMatchObject({ weeklyRankBonusUsd: 25_000_000n });

  // Taken back and paid again: that somebody got the bonus of another rank this week is no reason to be left out.
  const [last] = await db.owner.selectFrom('run').select('id').orderBy('createdAt', 'desc').limit(1).execute();
  const back = await runs.reverse(last?.id ?? '');
  await runs.begin(back.id);
  await runs.pay(back.id);
  expect(await ledger.totalsOf(silver.id)).toMatchObject({ weeklyRankBonusUsd: 10_000_000n });
  expect(await pay()).toMatchObject({ state: 'completed', part: 2, pays: 50_000_000n, skipped: 0n });
  expect(await ledger.totalsOf(silver.id)).toMatchObject({ weeklyRankBonusUsd: 35_000_000n });
  await ledger.expectSound();
  await db[Symbol.asyncDispose]();
});
