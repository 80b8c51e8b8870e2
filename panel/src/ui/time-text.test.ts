import { expect, test } from 'vitest';
import { exactUtc, relativeTime } from './time-text.ts';

const now = new Date('2026-03-12T12:00:00Z');
const told = (at: string) => relativeTime(new Date(at), now.getTime());

test('a recent time is told from now', () => {
  expect(told('2026-03-12T11:59:30Z')).toBe('just now');
  expect(told('2026-03-12T11:56:00Z')).toBe('4 min ago');
  expect(told('2026-03-12T09:00:00Z')).toBe('3 h ago');
  expect(told('2026-03-11T11:00:00Z')).toBe('yesterday');
  expect(told('2026-03-06T12:00:00Z')).toBe('6 days ago');
});

test('an older time is told as its date, with the year once it is another', () => {
  expect(told('2026-03-05T12:00:00Z')).toBe('5 Mar');
  expect(told('2025-12-31T23:59:59Z')).toBe('31 Dec 2025');
});

test('a clock that runs a little ahead is no reason for a date, a far future is', () => {
  expect(told('2026-03-12T12:00:40Z')).toBe('just now');
  expect(told('2026-03-14T12:00:00Z')).toBe('14 Mar');
});

test('the exact time is in UTC to the second', () => {
  expect(exactUtc(new Date('2026-03-12T14:03:22.512Z'))).toBe('2026-03-12 14:03:22 UTC');
});
