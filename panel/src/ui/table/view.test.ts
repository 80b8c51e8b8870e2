import { expect, test } from 'vitest';
import { formatFigure, formatTotal } from './view.ts';

test('a capped total ends with a plus sign, with and without its noun', () => {
  const noun = { one: 'user', many: 'users' };
  expect(formatFigure({ count: 1_204, capped: false })).toBe('1,204');
  expect(formatFigure({ count: 10_000, capped: true })).toBe('10,000+');
  expect(formatTotal({ count: 1, capped: false }, noun)).toBe('1 user');
  expect(formatTotal({ count: 10_000, capped: true }, noun)).toBe('10,000+ users');
});
