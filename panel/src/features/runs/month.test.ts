import { expect, test } from 'vitest';
import { daysOf, monthsOn, weekdayOf } from './month.ts';

test('a month has the right number of days, and the next and previous months cross the year', () => {
  expect(daysOf('2028-02')).toHaveLength(29);
  expect(daysOf('2026-11').at(-1)).toBe('2026-11-30');
  expect(monthsOn('2026-12', 1)).toBe('2027-01');
  expect(monthsOn('2026-01', -1)).toBe('2025-12');
});

test('a week starts on Monday', () => {
  expect(weekdayOf('2026-11-16')).toBe(1);
  expect(weekdayOf('2026-11-15')).toBe(7);
});
