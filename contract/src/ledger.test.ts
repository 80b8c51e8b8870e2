import { expect, test } from 'vitest';
import { transferTitle } from './ledger.ts';

test.each([
  ['Withdrawal held', 'available', 'held'],
  ['Withdrawal paid out', 'held', 'outside'],
  ['Withdrawal returned', 'held', 'available'],
] as const)('each step of a withdrawal has its own title: %s', (title, from, to) => {
  expect(transferTitle({ kind: 'withdrawal', from, to, reverses: null })).toBe(title);
});

test('ending a stake early returns it and forfeits its loyalty', () => {
  const ended = { kind: 'stake-end', reverses: null } as const;
  expect(transferTitle({ ...ended, from: 'staked', to: 'available' })).toBe('Stake ended early');
  expect(transferTitle({ ...ended, from: 'loyalty', to: 'treasury' })).toBe('Loyalty forfeited');
});

test('the title of a reversal names the reversed kind', () => {
  const reversal = { kind: 'task', from: 'available', to: 'task_rewards', reverses: '20261115-1' } as const;
  expect(transferTitle(reversal)).toBe('Reversal of task reward');
});
