import { expect, test } from 'vitest';
import { exactUtc, relativeTime } from './time-text.ts';

const now = new Date('2026-03-12T12:00:00Z');
const text = (at: string) => relativeTime(new Date(at), now.getTime());

test('a recent time is relative to now', () => {
  expect(text('2026-03-12T11:59:30Z')).toBe('just now');
  expect(text('2026-03-12T11:56:00Z')).toBe('4 min ago');
  expect(text('2026-03-12T09:00:00Z')).toBe('3 h ago');
  expect(text('2026-03-11T11:00:00Z')).toBe('yesterday');
  expect(text('2026-03-06T12:00:00Z')).toBe('6 days ago');
});

test('an older time is a date, with the year if it is not the current one', () => {
  expect(text('2026-03-05T12:00:00Z')).toBe('5 Mar');
  expect(text('2025-12-31T23:59:59Z')).toBe('31 Dec 2025');
});

test('a time within the next minute is just now, and a later one is a date', () => {
  expect(text('2026-03-12T12:00:40Z')).toBe('just now');
  expect(text('2026-03-14T12:00:00Z')).toBe('14 Mar');
});

test('the exact time is in UTC to the second', () => {
  expect(exactUtc(new Date('2026-03-12T14:03:22.512Z'))).toBe('2026-03-12 14:03:22 UTC');
});
