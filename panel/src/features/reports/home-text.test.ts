import { expect, test } from 'vitest';
import { formatAttention } from './home-text.ts';

const none = { withdrawals: 0, tickets: 0, approvals: 0, failedRuns: 0, stalledRuns: 0 };

test('the items that need attention are summarized in one sentence', () => {
  expect(formatAttention(none)).toBe("You're all caught up.");
  expect(formatAttention({ ...none, withdrawals: 1 })).toBe('1 withdrawal needs attention.');
  expect(formatAttention({ ...none, withdrawals: 11, tickets: 24 })).toBe(
    '11 withdrawals and 24 tickets need attention.',
  );
  expect(formatAttention({ withdrawals: 1_204, tickets: 1, approvals: 3, failedRuns: 1, stalledRuns: 2 })).toBe(
    '1,204 withdrawals, 1 ticket, 3 approvals, 1 failed run and 2 stalled runs need attention.',
  );
});
