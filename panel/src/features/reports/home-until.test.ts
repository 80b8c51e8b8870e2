import { expect, test } from 'vitest';
import { formatUntil } from './home-until.ts';

const now = Date.parse('2026-05-01T12:00:00Z');

test.each([
  ['2026-05-01T11:59:00Z', 'within a minute'],
  ['2026-05-01T12:00:59Z', 'within a minute'],
  ['2026-05-01T12:01:00Z', 'in 1 min'],
  ['2026-05-01T13:00:00Z', 'in 1 h'],
  ['2026-05-01T17:12:30Z', 'in 5 h 12 min'],
  ['2026-05-02T12:00:00Z', 'in 1 d'],
  ['2026-05-31T15:30:00Z', 'in 30 d 3 h'],
])('the time until %s is formatted as %s', (at, text) => {
  expect(formatUntil(new Date(at), now)).toBe(text);
});
