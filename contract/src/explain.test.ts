import { expect, test } from 'vitest';
import { explainLine } from './explain.ts';
import type { RunKind } from './run-kinds.ts';
import type { RunLine } from './runs-lines.ts';

const line: RunLine = {
  user: { id: '00000000-0000-4000-8000-000000000001', userId: '10001', username: 'milancosta', isDeleted: false },
  stakeId: null,
  cause: '00000000-0000-4000-8000-000000000002',
  input: '100.00',
  rate: 100,
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
  expect(() => explainLine({ kind, settings, inputs, line: { ...line, ...unreadable } })).toThrow(
    'is not an amount in',
  );
});
