import { z } from 'zod';
import { endpoint, Moment } from './endpoint.ts';
import { amount } from './money.ts';
import { badCursor, pageAnswer, pageQuery, Search } from './paging.ts';

export type WithdrawalStatus = z.output<typeof WithdrawalStatus>;
export const WithdrawalStatus = z.enum(['Pending', 'Completed', 'Failed']);

/** What is unusual about a withdrawal, and worth a look before it is approved. */
export type Signal = z.output<typeof Signal>;
export const Signal = z.enum([
  'new wallet',
  'shared wallet',
  'first withdrawal',
  'more than half of the balance',
  'several within a day',
  'sponsor blacklisted',
]);

export type Withdrawal = z.output<typeof Withdrawal>;
export const Withdrawal = z.object({
  id: z.uuid(),
  user: z.string(),
  /** Whose it is, for the way to the profile. */
  person: z.uuid(),
  amount: amount('USD'),
  wallet: z.string(),
  status: WithdrawalStatus,
  date: Moment,
  /** The user's figures at the moment of the request. */
  gmpShares: amount('SHARE'),
  prevSLX: amount('SLX'),
  slxPoints: amount('SLX'),
  balance: amount('USD'),
  decidedAt: Moment.nullable(),
  decidedBy: z.string().nullable(),
  reason: z.string().nullable(),
  signature: z.string().nullable(),
  signals: z.array(Signal),
});

export type WithdrawalSort = z.output<typeof WithdrawalSort>;
export const WithdrawalSort = z.enum(['-date', 'date', 'amount', '-amount']);

export const listWithdrawals = endpoint({
  room: 'withdrawals',
  method: 'GET',
  url: '/api/withdrawals',
  access: 'platform.read',
  summary: 'List withdrawals a page at a time, newest first unless sorted otherwise',
  querystring: z.strictObject({
    ...pageQuery,
    status: WithdrawalStatus.optional(),
    /** Part of the name, id, wallet or referral code of the user. */
    search: Search.optional(),
    person: z.uuid().optional(),
    sort: WithdrawalSort.optional(),
  }),
  answer: z.object({ withdrawals: z.array(Withdrawal), ...pageAnswer }),
  refusals: { 422: badCursor },
});

export const readWithdrawal = endpoint({
  room: 'withdrawals',
  method: 'GET',
  url: '/api/withdrawals/:id',
  access: 'platform.read',
  summary: 'Read one withdrawal',
  params: z.strictObject({ id: z.uuid() }),
  answer: z.object({ withdrawal: Withdrawal }),
  refusals: { 404: { WithdrawalNotFound: 'This withdrawal does not exist.' } },
});

const Sum = z.object({ count: z.int(), amount: amount('USD') });

export const readWithdrawalFigures = endpoint({
  room: 'withdrawals',
  method: 'GET',
  url: '/api/withdrawals/figures',
  access: 'platform.read',
  summary: 'How many withdrawals there are of each status, and their sums',
  answer: z.object({ total: Sum, completed: Sum, pending: Sum, failed: Sum }),
  refusals: {},
});

const Switch = z.object({
  enabled: z.boolean(),
  changedBy: z.string().nullable(),
  changedAt: Moment.nullable(),
});

export const readWithdrawalSwitch = endpoint({
  room: 'withdrawals',
  method: 'GET',
  url: '/api/withdrawals/switch',
  access: 'platform.read',
  summary: 'Whether withdrawals are enabled, and who said so',
  answer: z.object({ switch: Switch }),
  refusals: {},
});

export const setWithdrawalSwitch = endpoint({
  room: 'withdrawals',
  method: 'POST',
  url: '/api/withdrawals/switch',
  access: 'switches.write',
  summary: 'Enable or disable new requests and approvals for the whole platform',
  body: z.strictObject({ enabled: z.boolean() }),
  answer: z.object({ switch: Switch }),
  refusals: {},
});
