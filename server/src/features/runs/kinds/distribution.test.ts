import { poolOf, splitPool } from 'contract/formulas.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { propertyRuns } from '#server/core/testing/property-runs.ts';
import { runsOf, setRunLimit } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { fillTreasury } from '#server/core/testing/stakes.ts';
import { deposit } from '#server/core/testing/transfers.ts';

const now = new Date('2026-03-11T12:00:00Z');
const before = new Date('2026-01-01');

async function open() {
  const db = await testDatabase();
  await addAdmin(db.owner, { username: 'ann' });
  await fillTreasury(db.owner, 'GMP', 10n ** 18n);
  await setRunLimit(db.owner, 10n ** 18n);
  return { db, runs: runsOf(db), ledger: ledgerOf(db) };
}

/** Reverses a run if it paid anything. */
async function reverseIfPaid(runs: ReturnType<typeof runsOf>, id: string) {
  if (!(await runs.linesOf(id)).some(({ skip }) => skip === null)) return;
  const reversal = await runs.reverse(id);
  await runs.start(reversal.id);
  await runs.pay(reversal.id);
}

const distribution = { frequency: 'Daily', time: '00:00', enabled: true, weekday: 1, utcOffset: 0 };

test('property: the pool is split to the unit by the plain rule, and a reversal undoes all of it', async () => {
  const holder = fc.record({
    shares: fc.bigInt({ min: 0n, max: 10n ** 12n }),
    ineligible: fc.constantFrom(null, null, null, 'blacklisted', 'deleted'),
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
      for (const { shares, ineligible } of holders) {
        const { id } = await addUser(db.owner, {
          ...(ineligible === 'blacklisted' && { blacklistedAt: before, blacklistReason: 'Fraud' }),
          ...(ineligible === 'deleted' && { retiredAt: before }),
        });
        if (shares > 0n) await ledger.posted(deposit({ userId: id, asset: 'SHARE', units: shares }));
        if (shares > 0n && !ineligible) entitled.push({ id, shares });
      }
      const { id } = await runs.create('gmp-distro', now);
      const planned = await runs.plan(id);
      const parts = splitPool(poolOf(pool, percentage), entitled);
      const lines = await runs.linesOf(id);
      const paid = lines.filter(({ skip }) => skip === null || skip === 'nothing');
      expect(new Map(paid.map(({ userId, base }) => [userId, base]))).toEqual(parts);
      expect(planned.pays).toBe(entitled.length > 0 ? poolOf(pool, percentage) : 0n);
      expect(await runs.start(id)).toBeUndefined();
      expect(await runs.pay(id)).toMatchObject({ state: 'completed' });
      for (const { id: userId } of entitled) {
        expect(await ledger.totalsOf(userId)).toMatchObject({ gmpEarnings: parts.get(userId) ?? 0n });
      }
      await ledger.expectSound();
      await expect(runs.create('gmp-distro', now)).rejects.toThrow('NothingDue');
      await reverseIfPaid(runs, id);
      for (const { id: userId } of entitled) {
        expect(await ledger.totalsOf(userId)).toMatchObject({ gmpEarnings: 0n, availableGmp: 0n });
      }
      await ledger.expectSound();
      await db[Symbol.asyncDispose]();
    }),
    propertyRuns({ gate: 3, thorough: 15 }),
  );
}, 300_000);

test('units left over by rounding go to the lowest ids among the users who lost the same fraction', async () => {
  const { db, runs, ledger } = await open();
  await runs.save('gmp-distro', { ...distribution, amount: '0.000008', percentage: 100 });
  const users = [];
  for (let n = 0; n < 5; n += 1) {
    const { id } = await addUser(db.owner);
    await ledger.posted(deposit({ userId: id, asset: 'SHARE', units: 1n }));
    users.push(id);
  }
  const { id } = await runs.create('gmp-distro', now);
  await runs.plan(id);
  const lines = await runs.linesOf(id);
  expect(lines.map(({ userId, base }) => [userId, base])).toEqual(
    users.toSorted().map((userId, place) => [userId, place < 3 ? 2n : 1n]),
  );
  await db[Symbol.asyncDispose]();
});
