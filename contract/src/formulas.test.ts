import fc from 'fast-check';
import { expect, test } from 'vitest';
import { explainLine } from './explain.ts';
import { referralBonus, splitPool, stakeDay } from './formulas.ts';
import type { RunLine } from './runs-lines.ts';

const shares = { baseReward: 5_000, bonusReward: 2_000, loyaltyReward: 3_000 };

test('a stake of 1,000 dollars at 0.10 percent earns a dollar a day: 50% base, 20% rank bonus, 30% loyalty', () => {
  const day = { amount: 1_000_000_000n, rate: 1_000, shares };
  expect(stakeDay({ ...day, ranked: true })).toEqual({
    reward: 1_000_000n,
    base: 500_000n,
    bonus: 200_000n,
    loyalty: 300_000n,
    unranked: 0n,
    unshared: 0n,
    rounded: 0n,
  });
  expect(stakeDay({ ...day, ranked: false })).toMatchObject({ bonus: 0n, unranked: 200_000n, rounded: 0n });
});

test('the parts of a day add up to its reward, and the base reward never exceeds its share', () => {
  const part = fc.nat(10_000);
  const chosen = fc
    .tuple(part, part, part)
    .filter(([base, bonus, loyalty]) => base + bonus + loyalty <= 10_000)
    .map(([baseReward, bonusReward, loyaltyReward]) => ({ baseReward, bonusReward, loyaltyReward }));
  const any = fc.record({
    amount: fc.bigInt({ min: 1n, max: 10n ** 18n }),
    rate: fc.nat(1_000_000),
    ranked: fc.boolean(),
    of: chosen,
  });
  fc.assert(
    fc.property(any, ({ of, ...stake }) => {
      const { reward, base, bonus, loyalty, unranked, unshared, rounded } = stakeDay({ ...stake, shares: of });
      expect(base + bonus + loyalty + unranked + unshared + rounded).toBe(reward);
      expect(rounded).toBeGreaterThanOrEqual(0n);
      expect(base * 10_000n).toBeLessThanOrEqual(
        (stake.amount * BigInt(stake.rate) * BigInt(of.baseReward)) / 1_000_000n,
      );
    }),
  );
});

test('a pool is split without remainder, each part within one unit of its share, in any order of holders', () => {
  const holders = fc.uniqueArray(fc.record({ id: fc.uuid(), shares: fc.bigInt({ min: 1n, max: 10n ** 12n }) }), {
    selector: ({ id }) => id,
    minLength: 1,
    maxLength: 30,
  });
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 18n }), holders, (pool, of) => {
      const parts = splitPool(pool, of);
      expect([...parts.values()].reduce((sum, part) => sum + part, 0n)).toBe(pool);
      const all = of.reduce((sum, one) => sum + one.shares, 0n);
      for (const { id, shares: held } of of) {
        const down = (pool * held) / all;
        expect([down, down + 1n]).toContain(parts.get(id));
      }
      const sorted = (split: Map<string, bigint>) => [...split].toSorted(([one], [other]) => (one < other ? -1 : 1));
      expect(sorted(splitPool(pool, of.toReversed()))).toEqual(sorted(parts));
    }),
  );
});

test('one unit among three equal holders goes to the lowest id', () => {
  const holders = ['c', 'a', 'b'].map((id) => ({ id, shares: 1n }));
  expect(splitPool(1n, holders)).toEqual(
    new Map([
      ['a', 1n],
      ['b', 0n],
      ['c', 0n],
    ]),
  );
  expect(splitPool(5n, [])).toEqual(new Map());
});

test('a sponsor gets a share of the first stake, rounded down', () => {
  expect(referralBonus(333_333_333n, 500)).toBe(16_666_666n);
});

const line: RunLine = {
  user: { id: '019c0000-0000-7000-8000-000000000001', userId: 'U1', username: 'ada', isDeleted: false },
  stakeId: 'S1',
  endsOn: '2026-12-03',
  cause: '019c0000-0000-7000-8000-000000000002',
  input: '333.333333',
  rate: 1_500,
  ranked: true,
  completes: false,
  skip: null,
  isSkippedSince: false,
  paid: true,
  reversed: false,
  base: '0.249999',
  bonus: '0.099999',
  loyalty: '0.149999',
  closing: '0.00',
};
const settings = { enabled: true, baseReward: 50, bonusReward: 20, loyaltyReward: 30 };

const run = { kind: 'stake-payout', day: '2026-11-16', state: 'completed', asset: 'USD' } as const;

test('an amount is explained by its formula with numbers, and by what rounding removed', () => {
  const { components, due } = explainLine({ run, line, settings, inputs: {} });
  expect(components).toEqual([
    {
      code: 'stake-reward',
      formula: '333.333333 USD × 0.15% × 50%',
      rounding: 'rounded down by 0.99975 of 0.000001 USD',
      amount: '0.249999',
      asset: 'USD',
      decision: { code: 'pay' },
    },
    expect.objectContaining({ code: 'stake-bonus', amount: '0.099999' }),
    expect.objectContaining({ code: 'loyalty', amount: '0.149999' }),
    expect.objectContaining({ code: 'rounding', amount: '0.000002', decision: { code: 'keep' } }),
  ]);
  expect(due).toBe('0.349998');
});

test('an ending stake is explained with its accumulated loyalty and the returned stake', () => {
  const last = { ...line, endsOn: run.day, completes: true, closing: '4.649999' };
  const { components, due } = explainLine({ run, line: last, settings, inputs: {} });
  expect(components.slice(2)).toEqual([
    expect.objectContaining({ code: 'loyalty', decision: { code: 'pay-out' } }),
    expect.objectContaining({ code: 'rounding' }),
    expect.objectContaining({
      code: 'loyalty-payout',
      formula: '4.50 USD set aside on earlier days + 0.149999 USD today',
      amount: '4.649999',
      decision: { code: 'pay' },
    }),
    expect.objectContaining({ code: 'stake-return', amount: '333.333333', decision: { code: 'return' } }),
  ]);
  // The returned stake is the user's own money.
  expect(due).toBe('4.999997');
});

test('a stake that is completed late earns nothing on that day, for any shares', () => {
  const endsOn = '2026-11-14';
  const none = { base: '0.00', bonus: '0.00', loyalty: '0.00' };
  const late = { ...line, endsOn, completes: true, ...none, closing: '4.50' };
  for (const baseReward of [50, 0]) {
    const given = { run, line: late, settings: { ...settings, baseReward }, inputs: {} };
    const { components } = explainLine(given);
    expect(components.map(({ code, amount, decision }) => [code, amount, decision.code])).toEqual([
      ['stake-reward', '0.00', 'after-last-day'],
      ['loyalty-payout', '4.50', 'pay'],
      ['stake-return', '333.333333', 'return'],
    ]);
    expect(components[1]?.formula).toBe('4.50 USD set aside on earlier days + 0.00 USD today');
  }
});

test('a distribution is explained by the pool, the shares, and the unit left over by rounding', () => {
  const schedule = { frequency: 'Daily', time: '00:00', enabled: true, weekday: 1, utcOffset: 0 };
  const of = {
    run: { ...run, kind: 'gmp-distro', asset: 'GMP' },
    settings: { ...schedule, amount: '100.00', percentage: 50 },
    inputs: { pool: '50000000', shares: '3' },
  } as const;
  const held = { ...line, input: '1', rate: 0, bonus: '0.00', loyalty: '0.00' };
  const [down] = explainLine({ ...of, line: { ...held, base: '16.666666' } }).components;
  const [up] = explainLine({ ...of, line: { ...held, base: '16.666667' } }).components;
  expect(down).toMatchObject({ formula: '50.00 GMP × 1 of 3 shares', rounding: 'rounded down', asset: 'GMP' });
  expect(up?.rounding).toMatch(/one of the units left over from rounding/);
});
