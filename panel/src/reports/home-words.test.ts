import { expect, test } from 'vitest';
import { sayWaiting } from './home-words.ts';

const counted = (count: number) => ({ count, capped: false });

test('what waits is told in one sentence, and a total that was not counted to its end says so', () => {
  expect(sayWaiting(0, counted(0))).toBe('Nothing is waiting for anyone.');
  expect(sayWaiting(1, counted(0))).toBe('1 withdrawal is waiting for someone.');
  expect(sayWaiting(1_204, counted(1))).toBe('1,204 withdrawals and 1 ticket are waiting for someone.');
  expect(sayWaiting(0, { count: 10_000, capped: true })).toBe('10,000+ tickets are waiting for someone.');
});
