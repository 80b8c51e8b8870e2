import { createHash } from 'node:crypto';
import type { ApprovalKind, LimitKind } from 'contract/approvals.ts';
import { type FactKey, findFact, readFactAmount } from 'contract/approvals-facts.ts';
import { writeAmount } from 'contract/core/money.ts';
import { JobName, jobTitle, type RunKind, runTitle } from 'contract/run-kinds.ts';
import type { Payload } from './payload.ts';

/*
 * Requests that were made before facts had keys are decided by the digest of their labels. They wait for seven days at
 * most, so this file can be removed in the release after the one that introduced the keys.
 */

type Labeled = [name: string, value: string];

/** Returns the version 1 digests of a payload: more than one, because the labels changed during that version. */
export function digestsOfVersion1(kind: ApprovalKind, subjectId: string, payload: Payload) {
  return labelsOf[kind](payload).map((facts) =>
    createHash('sha256')
      .update(JSON.stringify([kind, subjectId, payload.userUuid, facts]))
      .digest('hex'),
  );
}

const valueOf = ({ facts }: Payload, key: FactKey) => findFact(facts, key)?.value ?? '';

function amountIn(written: string, sign = '') {
  const amount = readFactAmount(written);
  if (!amount) throw new Error(`${written} is no amount of a request.`);
  return `${amount.units > 0n ? sign : ''}${writeAmount(amount.units, amount.asset)} ${amount.asset}`;
}

const optional = (payload: Payload, key: FactKey, label: (value: string) => Labeled): Labeled[] =>
  findFact(payload.facts, key) ? [label(valueOf(payload, key))] : [];

const limitNames: Record<LimitKind, string> = {
  withdrawal: 'Withdrawals',
  adjustment: 'Adjustments',
  task: 'Task rewards',
  run: 'Runs',
};

const settingNames: Record<string, string> = {
  enabled: 'Enabled',
  baseReward: 'Base reward',
  bonusReward: 'Bonus reward',
  loyaltyReward: 'Loyalty reward',
  amount: 'Amount',
  frequency: 'Frequency',
  time: 'Time',
  weekday: 'Weekday',
  utcOffset: 'UTC offset',
  percentage: 'Percentage',
  period: 'Period in days',
  reward: 'Reward',
};

function settingIn(field: string, value: string) {
  if (value === 'true' || value === 'false') return value === 'true' ? 'yes' : 'no';
  if (field === 'amount') return `${value} GMP`;
  return field === 'percentage' || field.toLowerCase().endsWith('reward') ? `${value} %` : value;
}

function runLabels(payload: Payload): Labeled[][] {
  const of = (key: FactKey) => valueOf(payload, key);
  const isReversal = of('direction') === 'reversal';
  const title = runTitle({ kind: of('job') as RunKind, reverses: isReversal ? '' : null });
  const before: Labeled[] = [
    ['Run', `${title} ${of('period')}`],
    ['Amount', amountIn(of('amount'))],
    ...optional(payload, 'setsAside', (value) => ['Set aside', amountIn(value)]),
    ...optional(payload, 'returned', (value) => [
      isReversal ? 'Stakes locked again' : 'Stakes returned',
      amountIn(value),
    ]),
    ...optional(payload, 'reason', (value) => ['Reason', value]),
  ];
  const after: Labeled[] = [
    ['Settings', `Version ${of('settingsVersion')}`],
    ['Plan', of('planHash')],
  ];
  const payments: Labeled[] = [
    ['Payments', `${of('payments')} to ${isReversal ? 'reverse' : 'pay'}, ${of('skipped')} skipped`],
    ['Lines', `${of('payments')} ${isReversal ? 'reversed' : 'paid'}, ${of('skipped')} skipped`],
  ];
  return payments.map((one) => [...before, one, ...after]);
}

const labelsOf: Record<ApprovalKind, (payload: Payload) => Labeled[][]> = {
  withdrawal: (payload) => [
    [
      ['Withdrawal of', valueOf(payload, 'user')],
      ['Amount', amountIn(valueOf(payload, 'amount'))],
      ['To wallet', valueOf(payload, 'wallet')],
      ['Requested', valueOf(payload, 'requestedAt')],
      ...optional(payload, 'signature', (value) => ['Sent on the chain already', value]),
    ],
  ],
  adjustment: (payload) => [
    [
      ...optional(payload, 'user', (value) => ['Adjustment for', value]),
      ...optional(payload, 'treasury', (value) => [
        'Treasury',
        value === 'in' ? 'Brought in from outside' : 'Taken out',
      ]),
      ['Amount', amountIn(valueOf(payload, 'adjustment'), '+')],
      ['Reason', valueOf(payload, 'reason')],
    ],
  ],
  task: (payload) => [
    [
      ['Task reward for', valueOf(payload, 'user')],
      ['Amount', amountIn(valueOf(payload, 'amount'))],
      ['Task', valueOf(payload, 'task')],
      ['Post URL', valueOf(payload, 'postUrl')],
    ],
  ],
  run: runLabels,
  settings: ({ facts }) => [
    facts.map(({ key, value, before = '' }): Labeled => {
      if (key === 'job') return ['Settings', jobTitle(JobName.parse(value))];
      if (key === 'version') return ['Version', `${before} → ${value}`];
      const field = key.slice('setting.'.length);
      return [settingNames[field] ?? field, `${settingIn(field, before)} → ${settingIn(field, value)}`];
    }),
  ],
  limit: (payload) => {
    const limit = findFact(payload.facts, 'limit');
    return [
      [
        ['Limit', `${limitNames[valueOf(payload, 'limitKind') as LimitKind]} in ${limit?.value.split(' ')[1]}`],
        ['Now', amountIn(limit?.before ?? '')],
        ['Amount', amountIn(limit?.value ?? '')],
        ['Version', valueOf(payload, 'version')],
      ],
    ];
  },
  grant: (payload) => [
    [
      ['Administrator', valueOf(payload, 'administrator')],
      ['Now', `Admin, ${valueOf(payload, 'permissionSet')}`],
      ['Would be', 'SuperAdmin'],
    ],
  ],
  plan: (payload) => {
    const days = valueOf(payload, 'days');
    const rate = Number(valueOf(payload, 'dailyRate'));
    return [
      [
        ['Offer the plan', `${days} ${days === '1' ? 'day' : 'days'}`],
        ['Daily rate', `${(rate / 100).toFixed(2)} %`],
      ],
    ];
  },
  repair: (payload) => {
    const users = valueOf(payload, 'users');
    return [
      [
        ['Counters of', users === '1' ? '1 user' : `${users} users`],
        ['Referral count', `${valueOf(payload, 'referralCount')} corrected`],
        ['Total network', `${valueOf(payload, 'totalNetwork')} corrected`],
        ['Team volume SOL', `${valueOf(payload, 'totalTeamVolumeSOL')} corrected`],
        ['Team volume USD', `${valueOf(payload, 'totalTeamVolumeUSD')} corrected`],
        ['Report of', valueOf(payload, 'reportAt')],
        ['Corrections', valueOf(payload, 'corrections')],
      ],
    ];
  },
};
