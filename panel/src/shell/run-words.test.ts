import { expect, test } from 'vitest';
import { sayPeriod } from './run-words.ts';

test('a period is said as a day, a week of a rank, or the moment of a check', () => {
  expect(sayPeriod({ kind: 'stake-payout', period: '2026-11-14' })).toBe('14 Nov 2026');
  expect(sayPeriod({ kind: 'rank-bonus', period: '2026-W06 Gold' })).toBe('Week 6 of 2026, Gold');
  expect(sayPeriod({ kind: 'referral-check', period: '2026-11-15 20:20:42' })).toBe('15 Nov 2026, 20:20 UTC');
});
