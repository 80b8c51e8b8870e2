import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { amount, isAboveLimit } from './core/money.ts';
import { badCursor, pageAnswer, pageQuery, Search } from './core/paging.ts';
import { Signal } from './withdrawals-signals.ts';

export type WithdrawalStatus = z.output<typeof WithdrawalStatus>;
export const WithdrawalStatus = z.enum(['Pending', 'Completed', 'Failed']);

export type Withdrawal = z.output<typeof Withdrawal>;
export const Withdrawal = z.object({
  id: z.uuid(),
  user: z.string(),
  /** The id of the owner, for the link to the profile. */
  userUuid: z.uuid(),
  amount: amount('USD'),
  wallet: z.string(),
  status: WithdrawalStatus,
  date: Timestamp,
  /** The user's figures at the time of the request. */
  gmpShares: amount('SHARE'),
  prevSLX: amount('SLX'),
  slxPoints: amount('SLX'),
  balance: amount('USD'),
  decidedAt: Timestamp.nullable(),
  decidedBy: z.string().nullable(),
  reason: z.string().nullable(),
  signature: z.string().nullable(),
  /** The administrator who requested the second approval, decided or pending. */
  preparedBy: z.string().nullable(),
  /** When the pending approval request expires. */
  waitsUntil: Timestamp.nullable(),
  /** The pending approval request. */
  waitingApproval: z.uuid().nullable(),
  signals: z.array(Signal),
});

export type WithdrawalSort = z.output<typeof WithdrawalSort>;
export const WithdrawalSort = z.enum(['-date', 'date', 'amount', '-amount']);

const WithdrawalNotFound = 'This withdrawal does not exist.';

export const listWithdrawals = endpoint({
  feature: 'withdrawals',
  method: 'GET',
  url: '/api/withdrawals',
  access: 'platform.read',
  summary: 'List withdrawals a page at a time, newest first unless sorted otherwise',
  querystring: z.strictObject({
    ...pageQuery,
    status: WithdrawalStatus.optional(),
    /** Part of the name, number, wallet or referral code of the user. */
    search: Search.optional(),
    user: z.uuid().optional(),
    /** Only withdrawals that are waiting for a second approver. */
    approval: z.literal('waiting').optional(),
    sort: WithdrawalSort.optional(),
  }),
  answer: z.object({ withdrawals: z.array(Withdrawal), ...pageAnswer }),
  refusals: { 422: badCursor },
});

export const readWithdrawal = endpoint({
  feature: 'withdrawals',
  method: 'GET',
  url: '/api/withdrawals/:id',
  access: 'platform.read',
  summary: 'Read one withdrawal',
  params: z.strictObject({ id: z.uuid() }),
  answer: z.object({ withdrawal: Withdrawal }),
  refusals: { 404: { WithdrawalNotFound } },
});

const Reason = z.string().trim().min(1).max(500);
const decisions = {
  WithdrawalDecided: 'Someone else has just decided this withdrawal.',
  BalanceTooLow: 'The amount of this withdrawal is not held for it: the request and the ledger disagree.',
} as const;
const approvals = {
  ...decisions,
  WithdrawalsDisabled: 'Withdrawals are disabled. Enable them first.',
  UnderMaintenance: 'Withdrawals are frozen while the platform is under maintenance.',
  UserDeleted: 'This user was deleted. Reject the withdrawal.',
  UserBlacklisted: 'This user is blacklisted. Reject the withdrawal, or remove the user from the blacklist first.',
  ApprovalWaiting: 'This withdrawal is already waiting for a second approver.',
} as const;

export const approveWithdrawal = endpoint({
  feature: 'withdrawals',
  movesMoney: true,
  method: 'POST',
  url: '/api/withdrawals/:id/approve',
  access: 'money.prepare',
  summary: 'Pay a withdrawal; above the daily limit, request a second approval',
  params: z.strictObject({ id: z.uuid() }),
  body: z.strictObject({ signature: z.string().trim().min(1).max(200).optional() }),
  answer: z.object({ withdrawal: Withdrawal }),
  refusals: { 404: { WithdrawalNotFound }, 409: approvals },
});

export const rejectWithdrawal = endpoint({
  feature: 'withdrawals',
  movesMoney: true,
  method: 'POST',
  url: '/api/withdrawals/:id/reject',
  access: 'money.prepare',
  summary: 'Return the held amount to the user',
  params: z.strictObject({ id: z.uuid() }),
  body: z.strictObject({ reason: Reason }),
  answer: z.object({ withdrawal: Withdrawal }),
  refusals: { 404: { WithdrawalNotFound }, 409: decisions },
});

const decidedAtMost = 100;

export const decideWithdrawals = endpoint({
  feature: 'withdrawals',
  movesMoney: true,
  method: 'POST',
  url: '/api/withdrawals/decide',
  access: 'money.prepare',
  summary: 'Approve or reject many withdrawals, each by itself',
  body: z.strictObject({
    ids: z.array(z.uuid()).min(1).max(decidedAtMost),
    /** The reason for rejecting them. Without it they are approved. */
    rejectedFor: Reason.optional(),
  }),
  answer: z.object({
    done: z.int(),
    /** The number above the daily limit, which now wait for a second approver. */
    requested: z.int(),
    refused: z.array(z.object({ id: z.uuid(), user: z.string().nullable(), error: z.string() })),
  }),
  refusals: {},
});

/** Returns why a withdrawal cannot be decided. The panel disables its buttons with it; the server refuses with it. */
export function refuseDeciding({ status }: Pick<Withdrawal, 'status'>) {
  return status === 'Pending' ? undefined : 'WithdrawalDecided';
}

const DailyLimit = z.object({
  /** What one administrator may pay per UTC day without a second approver. */
  limit: amount('USD'),
  /** What this administrator has paid today without a second approver. */
  usedToday: amount('USD'),
});
export type DailyLimit = z.output<typeof DailyLimit>;

export const readDailyLimit = endpoint({
  feature: 'withdrawals',
  method: 'GET',
  url: '/api/withdrawals/daily-limit',
  access: 'money.prepare',
  summary: 'How much the caller may still pay today without a second approver',
  answer: DailyLimit,
  refusals: {},
});

/** Splits withdrawals, approved in this order, into those paid immediately and those that need a second approver. */
export function splitByDailyLimit<W extends Pick<Withdrawal, 'amount'>>(
  withdrawals: readonly W[],
  { limit, usedToday: usedBefore }: DailyLimit,
) {
  const split: { paidNow: W[]; needApproval: W[] } = { paidNow: [], needApproval: [] };
  let usedToday = usedBefore;
  for (const withdrawal of withdrawals) {
    if (isAboveLimit({ limit, usedToday, units: withdrawal.amount })) split.needApproval.push(withdrawal);
    else {
      split.paidNow.push(withdrawal);
      usedToday += withdrawal.amount;
    }
  }
  return split;
}

const Switch = z.object({
  enabled: z.boolean(),
  changedBy: z.string().nullable(),
  changedAt: Timestamp.nullable(),
});

export const readWithdrawalSwitch = endpoint({
  feature: 'withdrawals',
  method: 'GET',
  url: '/api/withdrawals/switch',
  access: 'platform.read',
  summary: 'Whether withdrawals are enabled, and who changed it',
  answer: z.object({ switch: Switch }),
  refusals: {},
});

export const setWithdrawalSwitch = endpoint({
  feature: 'withdrawals',
  method: 'POST',
  url: '/api/withdrawals/switch',
  access: 'switches.write',
  summary: 'Enable or disable new requests and approvals for the whole platform',
  body: z.strictObject({ enabled: z.boolean() }),
  answer: z.object({ switch: Switch }),
  refusals: {},
});
