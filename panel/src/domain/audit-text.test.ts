import { expect, test } from 'vitest';
import { formatDetails } from './audit-text.ts';

test.each([
  [{}, []],
  [{ before: { role: 'User' }, after: { role: 'Admin' } }, ['role: User → Admin']],
  [{ before: { username: 'mira' } }, ['username: mira']],
  [{ after: { type: 'Payout' } }, ['type: Payout']],
  [
    {
      reason: 'Several accounts',
      before: { isBlacklisted: false, blacklistReason: null },
      after: { isBlacklisted: true, blacklistReason: 'Several accounts' },
    },
    ['reason: Several accounts', 'isBlacklisted: false → true', 'blacklistReason: null → Several accounts'],
  ],
  [{ before: { rank: 'Gold', wallet: 'same' }, after: { rank: 'Silver', wallet: 'same' } }, ['rank: Gold → Silver']],
  [{ photo: 'd1', size: 12 }, ['photo: d1', 'size: 12']],
])('%j is formatted as %j', (details, expected) => {
  expect(formatDetails(details)).toEqual(expected);
});
