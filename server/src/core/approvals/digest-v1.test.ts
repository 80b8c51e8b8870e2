import { createHash } from 'node:crypto';
import type { ApprovalKind } from 'contract/approvals.ts';
import { expect, test } from 'vitest';
import { digestsOfVersion1 } from './digest-v1.ts';
import type { Fact } from './payload.ts';

const subject = '0198c0de-0000-7000-8000-000000000001';
const user = '0198c0de-0000-7000-8000-000000000002';

/** The digest of a request as it was stored before facts had keys. */
const asStored = (kind: ApprovalKind, user: string | null, facts: [string, string][]) =>
  createHash('sha256')
    .update(JSON.stringify([kind, subject, user, facts]))
    .digest('hex');

type Case = { kind: ApprovalKind; userUuid?: string; facts: Fact[]; stored: [string, string][] };

const run: Fact[] = [
  { key: 'job', value: 'stake-payout' },
  { key: 'period', value: '2026-11-14' },
  { key: 'direction', value: 'run' },
  { key: 'amount', value: '56555000 USD' },
  { key: 'setsAside', value: '1 USD' },
  { key: 'returned', value: '100000000 USD' },
  { key: 'payments', value: '89' },
  { key: 'skipped', value: '3' },
  { key: 'settingsVersion', value: '2' },
  { key: 'planHash', value: 'abc' },
];
const runStored = (payments: [string, string]): [string, string][] => [
  ['Run', 'Stake payout 2026-11-14'],
  ['Amount', '56.555 USD'],
  ['Set aside', '0.000001 USD'],
  ['Stakes returned', '100.00 USD'],
  payments,
  ['Settings', 'Version 2'],
  ['Plan', 'abc'],
];

test.each<Case>([
  {
    kind: 'withdrawal',
    userUuid: user,
    facts: [
      { key: 'user', value: 'milancosta' },
      { key: 'amount', value: '5000000000 USD' },
      { key: 'wallet', value: 'So1Wallet' },
      { key: 'requestedAt', value: '2026-11-01T10:00:00.000Z' },
      { key: 'signature', value: '5sig' },
    ],
    stored: [
      ['Withdrawal of', 'milancosta'],
      ['Amount', '5000.00 USD'],
      ['To wallet', 'So1Wallet'],
      ['Requested', '2026-11-01T10:00:00.000Z'],
      ['Sent on the chain already', '5sig'],
    ],
  },
  {
    kind: 'adjustment',
    facts: [
      { key: 'treasury', value: 'in' },
      { key: 'adjustment', value: '250000500000 USD' },
      { key: 'reason', value: 'October.' },
    ],
    stored: [
      ['Treasury', 'Brought in from outside'],
      ['Amount', '+250000.50 USD'],
      ['Reason', 'October.'],
    ],
  },
  {
    kind: 'adjustment',
    userUuid: user,
    facts: [
      { key: 'user', value: 'tara' },
      { key: 'adjustment', value: '-3 SHARE' },
      { key: 'reason', value: 'Wrong.' },
    ],
    stored: [
      ['Adjustment for', 'tara'],
      ['Amount', '-3 SHARE'],
      ['Reason', 'Wrong.'],
    ],
  },
  {
    kind: 'task',
    userUuid: user,
    facts: [
      { key: 'user', value: 'tara' },
      { key: 'amount', value: '1500000 USD' },
      { key: 'task', value: 'Post' },
      { key: 'postUrl', value: 'https://example.com' },
    ],
    stored: [
      ['Task reward for', 'tara'],
      ['Amount', '1.50 USD'],
      ['Task', 'Post'],
      ['Post URL', 'https://example.com'],
    ],
  },
  { kind: 'run', facts: run, stored: runStored(['Payments', '89 to pay, 3 skipped']) },
  { kind: 'run', facts: run, stored: runStored(['Lines', '89 paid, 3 skipped']) },
  {
    kind: 'run',
    facts: [
      { key: 'job', value: 'gmp-distro' },
      { key: 'period', value: '2026-W46' },
      { key: 'direction', value: 'reversal' },
      { key: 'amount', value: '-1000000 GMP' },
      { key: 'reason', value: 'Wrong pool.' },
      { key: 'payments', value: '5' },
      { key: 'skipped', value: '0' },
      { key: 'settingsVersion', value: '1' },
      { key: 'planHash', value: 'abc' },
    ],
    stored: [
      ['Run', 'Reversal of GMP distribution 2026-W46'],
      ['Amount', '-1.00 GMP'],
      ['Reason', 'Wrong pool.'],
      ['Payments', '5 to reverse, 0 skipped'],
      ['Settings', 'Version 1'],
      ['Plan', 'abc'],
    ],
  },
  {
    kind: 'settings',
    facts: [
      { key: 'job', value: 'gmp-distro' },
      { key: 'setting.amount', before: '100.00', value: '777.00' },
      { key: 'setting.enabled', before: 'false', value: 'true' },
      { key: 'setting.percentage', before: '50', value: '33.33' },
      { key: 'version', before: '3', value: '4' },
    ],
    stored: [
      ['Settings', 'GMP distribution'],
      ['Amount', '100.00 GMP → 777.00 GMP'],
      ['Enabled', 'no → yes'],
      ['Percentage', '50 % → 33.33 %'],
      ['Version', '3 → 4'],
    ],
  },
  {
    kind: 'limit',
    facts: [
      { key: 'limitKind', value: 'withdrawal' },
      { key: 'limit', before: '1000000000 USD', value: '500000000 USD' },
      { key: 'version', value: '1' },
    ],
    stored: [
      ['Limit', 'Withdrawals in USD'],
      ['Now', '1000.00 USD'],
      ['Amount', '500.00 USD'],
      ['Version', '1'],
    ],
  },
  {
    kind: 'grant',
    facts: [
      { key: 'administrator', value: 'wishful' },
      { key: 'permissionSet', value: 'Finance' },
      { key: 'role', before: 'Admin', value: 'SuperAdmin' },
    ],
    stored: [
      ['Administrator', 'wishful'],
      ['Now', 'Admin, Finance'],
      ['Would be', 'SuperAdmin'],
    ],
  },
  {
    kind: 'plan',
    facts: [
      { key: 'days', value: '7' },
      { key: 'dailyRate', value: '5' },
    ],
    stored: [
      ['Offer the plan', '7 days'],
      ['Daily rate', '0.05 %'],
    ],
  },
  {
    kind: 'repair',
    facts: [
      { key: 'users', value: '1' },
      { key: 'referralCount', value: '1' },
      { key: 'totalNetwork', value: '0' },
      { key: 'totalTeamVolumeSOL', value: '0' },
      { key: 'totalTeamVolumeUSD', value: '2' },
      { key: 'reportAt', value: '2026-11-01T10:00:00.000Z' },
      { key: 'corrections', value: 'def' },
    ],
    stored: [
      ['Counters of', '1 user'],
      ['Referral count', '1 corrected'],
      ['Total network', '0 corrected'],
      ['Team volume SOL', '0 corrected'],
      ['Team volume USD', '2 corrected'],
      ['Report of', '2026-11-01T10:00:00.000Z'],
      ['Corrections', 'def'],
    ],
  },
])('a $kind request keeps the digest of its version 1 labels: $stored', ({ kind, userUuid = null, facts, stored }) => {
  expect(digestsOfVersion1(kind, subject, { userUuid, facts })).toContain(asStored(kind, userUuid, stored));
});
