import { expect, test } from 'vitest';
import { daysPassed, earnedADay, formatPlan, yearlyRate } from './plan-text.ts';

test('a plan is formatted with its days and its rate', () => {
  expect(formatPlan({ days: 30, dailyRate: 1_000 })).toBe('30 days at 0.10% a day');
  expect(formatPlan({ days: 1, dailyRate: 1_000_000 })).toBe('1 day at 100.00% a day');
});

test('a rate is formatted with two to four decimals, for a day and for a year', () => {
  expect(formatPlan({ days: 30, dailyRate: 1_234 })).toBe('30 days at 0.1234% a day');
  expect(yearlyRate(1_000)).toBe('36.50%');
  expect(yearlyRate(1_234)).toBe('45.041%');
});

test('a day earns the amount times the rate, rounded down to the smallest unit', () => {
  expect(earnedADay({ amount: 400_000_000n, dailyRate: 1_000 })).toBe(400_000n);
  expect(earnedADay({ amount: 999n, dailyRate: 1_500 })).toBe(1n);
  expect(earnedADay({ amount: 2n ** 62n, dailyRate: 1_000_000 })).toBe(2n ** 62n);
});

const date = new Date('2026-03-01T09:00:00Z');
const at = (time: string) => Date.parse(time);

test.each([
  ['2026-03-01T09:00:00Z', 0],
  ['2026-03-02T08:59:59Z', 0],
  ['2026-03-02T09:00:00Z', 1],
  ['2026-03-31T09:00:00Z', 30],
  ['2026-06-01T09:00:00Z', 30],
  ['2026-02-01T09:00:00Z', 0],
])('at %s, %i of 30 days have passed', (now, passed) => {
  expect(daysPassed({ date, duration: '30 days', status: 'Active' }, at(now))).toEqual({ days: 30, passed });
});

test('all days of a completed stake have passed', () => {
  const stake = { date, duration: '60 days', status: 'Completed' } as const;
  expect(daysPassed(stake, at('2026-03-02T09:00:00Z'))).toEqual({ days: 60, passed: 60 });
});
