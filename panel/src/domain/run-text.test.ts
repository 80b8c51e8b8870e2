import { expect, test } from 'vitest';
import { formatRun, formatPeriod } from './run-text.ts';

test('a period is shown as a day, a week of a rank, or the time of a check', () => {
  expect(formatPeriod({ kind: 'stake-payout', period: '2026-11-14' })).toBe('14 Nov 2026');
  expect(formatPeriod({ kind: 'rank-bonus', period: '2026-W06 Gold' })).toBe('Week 6 of 2026, Gold');
  expect(formatPeriod({ kind: 'referral-check', period: '2026-11-15 20:20:42' })).toBe('15 Nov 2026, 20:20 UTC');
});

test('a reversal is named after the run that it reverses, and an abbreviation keeps its capitals', () => {
  const reverses = '019c0000-0000-7000-8000-000000000001';
  const payout = { kind: 'stake-payout', period: '2026-11-12' } as const;
  expect(formatRun({ ...payout, reverses: null })).toBe('Stake payout, 12 Nov 2026');
  expect(formatRun({ ...payout, reverses })).toBe('Reversal of stake payout, 12 Nov 2026');
  expect(formatRun({ kind: 'gmp-distro', period: '2026-11', reverses })).toBe('Reversal of GMP distribution, Nov 2026');
});
