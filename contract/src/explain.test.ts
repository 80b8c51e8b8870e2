import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseAmount } from './core/money.ts';
import { explainLine } from './explain.ts';
import type { ExplainedLine } from './explanation.ts';
import { stakeDay } from './formulas.ts';
import type { RunKind } from './run-kinds.ts';
import { type RunLine, SkipReason } from './runs-lines.ts';

const line: RunLine = {
  user: { id: '00000000-0000-4000-8000-000000000001', userId: '10001', username: 'milancosta', isDeleted: false },
  stakeId: null,
  endsOn: '2026-12-03',
  cause: '00000000-0000-4000-8000-000000000002',
  input: '100.00',
  rate: 10_000,
  ranked: false,
  base: '0.50',
  bonus: '0.00',
  loyalty: '0.10',
  closing: '0.00',
  completes: false,
  skip: null,
  isSkippedSince: false,
  paid: true,
  reversed: false,
};

const run = { kind: 'stake-payout', day: '2026-11-16', state: 'completed', asset: 'USD' } as const;
const stake = { enabled: true, baseReward: 50, bonusReward: 20, loyaltyReward: 10 };
const referral = { period: 30, reward: 5 };

type Explained = { kind: RunKind; settings: Parameters<typeof explainLine>[0]['settings'] };

test.each<[string, Explained, Partial<RunLine>]>([
  ['the stake of a payout', { kind: 'stake-payout', settings: stake }, { input: 'a lot' }],
  ['the loyalty amount of a payout', { kind: 'stake-payout', settings: stake }, { closing: '1,000.00' }],
  ['the reward of an ending stake', { kind: 'stake-payout', settings: stake }, { completes: true, base: '' }],
  ['the shares of a distribution', { kind: 'gmp-distro', settings: {} }, { input: '1.5' }],
  ['the amount of a distribution', { kind: 'gmp-distro', settings: {} }, { input: '1', base: '0.0000001' }],
  ['the first stake of a referral', { kind: 'referral-check', settings: referral }, { input: '' }],
])('%s: unreadable text throws instead of counting as zero', (_what, { kind, settings }, unreadable) => {
  const inputs = { pool: '1000000', shares: '10' };
  const given = { run: { ...run, kind }, settings, inputs, line: { ...line, ...unreadable } };
  expect(() => explainLine(given)).toThrow('is not an amount in');
});

/** "stake-bonus 0.20 no-rank" */
const told = ({ components }: ReturnType<typeof explainLine>) =>
  components.map(({ code, amount, decision }) => `${code} ${amount} ${decision.code}`);
const payout = (given: Partial<RunLine> = {}, settings: ExplainedLine['settings'] = stake) =>
  explainLine({ run, line: { ...line, ...given }, settings, inputs: {} });

test('a bonus that was not paid is explained by its amount and the missing rank', () => {
  const { components, status, due } = payout();
  expect(components[1]).toEqual({
    code: 'stake-bonus',
    formula: '100.00 USD × 1% × 20%',
    rounding: null,
    amount: '0.20',
    asset: 'USD',
    decision: { code: 'no-rank', day: '2026-11-16' },
  });
  expect({ status, due }).toEqual({ status: { code: 'paid' }, due: '0.50' });
});

test('loyalty is set aside until the last day of the stake, and what the shares leave stays in the treasury', () => {
  expect(payout().components[2]?.decision).toEqual({ code: 'set-aside', until: '2026-12-03' });
  expect(told(payout())).toEqual([
    'stake-reward 0.50 pay',
    'stake-bonus 0.20 no-rank',
    'loyalty 0.10 set-aside',
    'unshared 0.20 keep',
  ]);
  // A share of 0 percent is no component.
  expect(told(payout({}, { ...stake, bonusReward: 0, loyaltyReward: 0 }))).toEqual([
    'stake-reward 0.50 pay',
    'unshared 0.50 keep',
  ]);
});

test('a line that the plan skips is explained by the amounts that would have been paid', () => {
  const nothing = { base: '0.00', bonus: '0.00', loyalty: '0.00', paid: false };
  const skipped = payout({ ...nothing, skip: 'blacklisted', ranked: true });
  expect(skipped).toMatchObject({
    status: { code: 'skipped', reason: 'blacklisted', isSincePlan: false },
    due: '0.70',
  });
  expect(told(skipped)).toEqual(['stake-reward 0.50 pay', 'stake-bonus 0.20 pay', 'loyalty 0.10 set-aside']);
  // On its last day it would also have been returned, and later days do that.
  const last = payout({ ...nothing, skip: 'deleted', endsOn: run.day });
  expect(told(last).at(-1)).toBe('stake-return 100.00 return');
});

test('a line that was dropped when its chunk was paid is explained by its planned amounts', () => {
  const dropped = payout({ skip: 'blacklisted', isSkippedSince: true, paid: false, completes: true, closing: '3.10' });
  expect(dropped).toMatchObject({ status: { code: 'skipped', isSincePlan: true }, due: '3.60' });
  expect(told(dropped)).toContain('loyalty-payout 3.10 pay');
});

test.each([
  [{ paid: true, reversed: true }, 'completed', 'reversed'],
  [{ paid: false }, 'running', 'planned'],
  [{ paid: false }, 'failed', 'planned'],
  [{ paid: false }, 'cancelled', 'not-posted'],
] as const)('a line with %o of a run that is %s is %s', (given, state, status) => {
  const { status: found } = explainLine({
    run: { ...run, state },
    line: { ...line, ...given },
    settings: stake,
    inputs: {},
  });
  expect(found).toEqual({ code: status });
});

test('a holder who takes no part in a distribution is explained by the share that they would have had', () => {
  const given = {
    run: { ...run, kind: 'gmp-distro', asset: 'GMP' },
    settings: {},
    inputs: { pool: '90', shares: '6' },
  };
  const holder = { ...line, input: '3', base: '0.00', paid: false };
  const explainedAs = (skip: RunLine['skip']) =>
    explainLine({ ...given, line: { ...holder, skip } } as ExplainedLine).components;
  expect(explainedAs('blacklisted')).toMatchObject([
    { formula: '0.00009 GMP × 3 of 9 shares', amount: '0.00003', rounding: null },
  ]);
  expect(explainedAs('nothing')).toMatchObject([{ formula: '0.00009 GMP × 3 of 6 shares', amount: '0.00' }]);
  // Nothing of the rest of a pool is for those who were paid from it.
  expect(explainedAs('paid')).toMatchObject([{ formula: null, amount: '0.00' }]);
});

test('a skipped sponsor and a skipped holder of a rank are explained by the bonus that they would have had', () => {
  const skipped = { ...line, base: '0.00', skip: 'blacklisted', paid: false } as const;
  const check = { run: { ...run, kind: 'referral-check' }, settings: referral, inputs: {} } as const;
  expect(explainLine({ ...check, line: skipped })).toMatchObject({
    components: [
      { code: 'referral-reward', amount: '5.00', formula: '100.00 USD, the referred user’s first stake × 5%' },
    ],
  });
  const unstaked = explainLine({ ...check, line: { ...skipped, input: '0.00', skip: 'not-staked' } });
  expect(unstaked.components).toMatchObject([{ amount: '0.00', formula: null }]);
  const bonus = { run: { ...run, kind: 'rank-bonus' }, settings: { rank: 'Gold', bonusAmount: '25.00' } } as const;
  expect(explainLine({ ...bonus, inputs: {}, line: { ...skipped, input: '25.00' } })).toMatchObject({
    components: [{ code: 'rank-reward', amount: '25.00', formula: '25.00 USD for every holder of the rank Gold' }],
    due: '25.00',
  });
});

test('the components of a day add up to its reward, for every stake and every reason to skip it', () => {
  const share = fc.nat(100);
  const shares = fc.tuple(share, share, share).filter(([base, bonus, loyalty]) => base + bonus + loyalty <= 100);
  const any = fc.record({
    units: fc.bigInt({ min: 1n, max: 10n ** 12n }),
    ranked: fc.boolean(),
    skip: fc.constantFrom(null, ...SkipReason.options),
    shares,
  });
  const usd = (units: bigint) => `${units / 1_000_000n}.${String(units % 1_000_000n).padStart(6, '0')}`;
  fc.assert(
    fc.property(any, ({ units, ranked, skip, shares: [baseReward, bonusReward, loyaltyReward] }) => {
      const inBasisPoints = {
        baseReward: baseReward * 100,
        bonusReward: bonusReward * 100,
        loyaltyReward: loyaltyReward * 100,
      };
      const day = stakeDay({ amount: units, rate: line.rate, ranked, shares: inBasisPoints });
      const stored =
        skip === null
          ? { base: usd(day.base), bonus: usd(day.bonus), loyalty: usd(day.loyalty) }
          : { base: '0.00', bonus: '0.00', loyalty: '0.00' };
      const { components, due } = payout(
        { input: usd(units), ranked, skip, ...stored },
        { enabled: true, baseReward, bonusReward, loyaltyReward },
      );
      const sum = components.reduce((all, { amount }) => all + parseAmount(amount, 'USD'), 0n);
      expect(sum).toBe(skip === null ? day.reward : day.reward - day.unshared - day.rounded);
      expect(parseAmount(due, 'USD')).toBe(day.base + day.bonus);
    }),
  );
});
