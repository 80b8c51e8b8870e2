import type { SkipReason } from 'contract/runs-lines.ts';
import type { Payment } from 'contract/runs-payments.ts';
import { expect, test } from 'vitest';
import { writeLetter } from './explanation-letter.ts';

const at = new Date('2026-11-17T00:00:10Z');
const zero = '0.00';
const run: Payment['run'] = {
  id: '0198c0de-0000-7000-8000-000000000001',
  kind: 'stake-payout',
  period: '2026-11-16',
  day: '2026-11-16',
  asset: 'USD',
  state: 'completed',
  reversed: 'none',
  why: null,
  reverses: null,
  reason: null,
  onlyUser: null,
  settingsVersion: 1,
  planHash: '',
  lines: 1,
  skipped: 0,
  budget: zero,
  pays: zero,
  setsAside: zero,
  keeps: zero,
  releases: zero,
  returned: zero,
  plannedBy: null,
  createdAt: at,
  plannedAt: at,
  startedBy: null,
  approvedBy: null,
  startedAt: at,
  endedAt: at,
};
const line: Payment['line'] = {
  user: {
    id: '0198c0de-0000-7000-8000-000000000002',
    userId: 'U-100003',
    username: 'jdoe88',
    isDeleted: false,
  },
  stakeId: 'S100001320',
  endsOn: '2026-12-03',
  cause: '0198c0de-0000-7000-8000-000000000003',
  input: '500.00',
  rate: 1_000,
  ranked: false,
  base: '0.25',
  bonus: zero,
  loyalty: '0.15',
  closing: zero,
  completes: false,
  skip: null,
  isSkippedSince: false,
  paid: true,
  reversed: false,
};
const payment = {
  run,
  line,
  settings: { enabled: true, baseReward: 50, bonusReward: 20, loyaltyReward: 30 },
  inputs: {},
  reversedTransfers: [],
  receivable: null,
};

/** The whole letter between the greeting and the reference. */
const bodyOf = (letter: string) =>
  letter
    .split('\n\n')
    .slice(1, -2)
    .map((paragraph) => paragraph.replace(/^Thank you for your question\. /, ''));

test('the letter to a user without a rank answers why the bonus was not paid', () => {
  expect(writeLetter(payment)).toBe(`Hello jdoe88,

Thank you for your question. This is how your stake payout for 16 Nov 2026 was calculated.

It is for your stake S100001320 of 500.00 USD. Each part of the daily reward is the stake × the daily rate × the share of that part.

Stake reward: 0.25 USD, paid to your available balance
  500.00 USD × 0.1% × 50%

Stake bonus: 0.10 USD, not paid because this part is for users who hold a rank, and your account held none on 16 Nov 2026
  500.00 USD × 0.1% × 20%

Loyalty: 0.15 USD, set aside for you and paid when the stake completes on 3 Dec 2026
  500.00 USD × 0.1% × 30%

Total paid: 0.25 USD

For reference: user ID U-100003, payment run 0198c0de-0000-7000-8000-000000000001.

If you have any further questions, please reply to this message. We are happy to help.`);
});

test('on its last day a stake gets its loyalty and is returned, and what rounding left over is mentioned', () => {
  const last = { ...line, input: '500.001', endsOn: run.day, completes: true, closing: '4.50' };
  const settings = { ...payment.settings, baseReward: 40 };
  expect(bodyOf(writeLetter({ ...payment, settings, line: { ...last, base: '0.20' } })).slice(2)).toEqual([
    'Stake reward: 0.20 USD, paid to your available balance\n  500.001 USD × 0.1% × 40% (rounded down by 0.4 of 0.000001 USD)',
    'Stake bonus: 0.10 USD, not paid because this part is for users who hold a rank, and your account held none on 16 Nov 2026\n  500.001 USD × 0.1% × 20% (rounded down by 0.2 of 0.000001 USD)',
    'Loyalty: 0.15 USD, paid to your available balance, as part of the loyalty payout\n  500.001 USD × 0.1% × 30% (rounded down by 0.3 of 0.000001 USD)',
    'Undistributed: 0.05 USD, not part of the payout\n  500.001 USD × 0.1% × 10% (rounded down by 0.1 of 0.000001 USD)',
    'Rounding: 0.000001 USD, not paid because each part is rounded down',
    'Loyalty payout: 4.50 USD, paid to your available balance\n  4.35 USD set aside on earlier days + 0.15 USD today',
    'Stake returned: 500.001 USD, returned to your available balance',
    'Total paid: 4.70 USD',
  ]);
});

test.each<[SkipReason, string]>([
  ['blacklisted', 'the account was excluded from payouts at that time'],
  ['deleted', 'the account was closed'],
  ['paid', 'it had already been paid'],
])('a payment that was skipped (%s) is explained in words for its user', (skip, because) => {
  const skipped = { ...line, skip, paid: false, base: zero, loyalty: zero };
  const [opening, , reward, , loyalty, total] = bodyOf(writeLetter({ ...payment, line: skipped }));
  expect(opening).toBe('This is why your stake payout for 16 Nov 2026 was not paid.');
  expect(reward).toContain(`Stake reward: 0.25 USD, not paid because ${because}`);
  expect(loyalty).toContain(`Loyalty: 0.15 USD, not set aside because ${because}`);
  expect(total).toBe('Total paid: 0.00 USD');
});

test.each([
  [{ paid: false }, { state: 'running' }, 'It has not been paid yet.', 'Total to be paid: 0.25 USD'],
  [{ reversed: true }, {}, 'It was paid and later reversed.', 'Total paid and later reversed: 0.25 USD'],
  [{ paid: false }, { state: 'cancelled' }, 'was not paid.', 'Total paid: 0.00 USD'],
] as const)('a payment with %o of a run with %o says so', (ofLine, ofRun, ...[opening, total]) => {
  const letter = writeLetter({ ...payment, run: { ...run, ...ofRun }, line: { ...line, ...ofLine } });
  expect(bodyOf(letter)[0]).toContain(opening);
  expect(bodyOf(letter).at(-1)).toBe(total);
});

test('a sponsor learns that one of the two accounts is excluded, and not which', () => {
  const check = { ...run, kind: 'referral-check', period: '2026-11-16 10:00:00' } as const;
  const skipped = { ...line, stakeId: null, endsOn: null, skip: 'blacklisted', paid: false, base: zero } as const;
  expect(bodyOf(writeLetter({ ...payment, run: check, line: skipped, settings: { period: 30, reward: 5 } }))).toEqual([
    'This is why your referral bonus for 16 Nov 2026, 10:00 UTC was not paid.',
    'Referral bonus: 25.00 USD, not paid because your account or that of the user you referred was excluded from payouts at that time\n  500.00 USD, the referred user’s first stake × 5%',
    'Total paid: 0.00 USD',
  ]);
});

test('the letter about a reversal names every transfer and both runs', () => {
  const reverses = '0198c0de-0000-7000-8000-000000000009';
  const reversal = { ...run, reverses, reason: 'The rate was wrong.' };
  const reversedTransfers = [
    { id: '20261116-4711', kind: 'stake-base', amount: '0.25' },
    { id: '20261116-4712', kind: 'stake-loyalty', amount: '0.15' },
  ] as const;
  const letter = writeLetter({ ...payment, run: reversal, reversedTransfers });
  expect(bodyOf(letter)).toEqual([
    'These transfers of your stake payout for 16 Nov 2026 were reversed.',
    'Stake reward: 0.25 USD (transfer 20261116-4711)\nLoyalty set aside: 0.15 USD (transfer 20261116-4712)',
  ]);
  expect(letter).toContain(`payment run ${run.id}, which reverses payment run ${reverses}.`);
  expect(letter).not.toContain('The rate was wrong.');
  const spent = writeLetter({ ...payment, run: reversal, reversedTransfers, line: { ...line, skip: 'spent' } });
  expect(bodyOf(spent)[0]).toContain('were not reversed because the available balance was too low.');
});

test('a user who had spent a reversed payment learns what they owe, and what a second payment settled', () => {
  const reversedTransfers = [{ id: '20261116-4711', kind: 'stake-base', amount: '0.25' }] as const;
  const reversal = { ...run, reverses: '0198c0de-0000-7000-8000-000000000009' };
  const owing = { ...payment, receivable: '0.10' };
  expect(bodyOf(writeLetter({ ...owing, run: reversal, reversedTransfers })).at(-1)).toBe(
    'Your available balance was 0.10 USD less than the payments that this run reversed, so your account has owed that amount since then.',
  );
  expect(bodyOf(writeLetter(owing)).slice(-2)).toEqual([
    'Total paid: 0.25 USD',
    'Your account owed 0.10 USD after an earlier payment was reversed. We deducted it from your payments in this run.',
  ]);
});
