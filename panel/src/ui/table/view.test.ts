import { expect, test } from 'vitest';
import { sayFigure, sayTotal } from './view.ts';

test('a total that was not counted to its end says so, with and without its noun', () => {
  const noun = { one: 'user', many: 'users' };
  expect(sayFigure({ count: 1_204, capped: false })).toBe('1,204');
  expect(sayFigure({ count: 10_000, capped: true })).toBe('10,000+');
  expect(sayTotal({ count: 1, capped: false }, noun)).toBe('1 user');
  expect(sayTotal({ count: 10_000, capped: true }, noun)).toBe('10,000+ users');
});
