import { expect, test } from 'vitest';
import { transferTitle } from './ledger.ts';

test.each([
  ['Withdrawal held', 'available', 'held'],
  ['Withdrawal paid out', 'held', 'outside'],
  ['Withdrawal returned', 'held', 'available'],
] as const)('the steps of a withdrawal have names of their own: %s', (title, from, to) => {
  expect(transferTitle({ kind: 'withdrawal', from, to, reverses: null })).toBe(title);
});

test('a transfer that reverses another says so', () => {
  const reversal = { kind: 'task', from: 'available', to: 'task_rewards', reverses: '20261115-1' } as const;
  expect(transferTitle(reversal)).toBe('Reversal of task reward');
});
