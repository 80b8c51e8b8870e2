import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { amount, isAboveLimit } from './core/money.ts';
import { badCursor, pageAnswer, pageQuery, Search } from './core/paging.ts';
import { OpenState, SettlementSource, WithdrawalMode, WithdrawalState, WithdrawalStatus } from './withdrawal-states.ts';
import { Signal } from './withdrawals-signals.ts';

export type Withdrawal = z.output<typeof Withdrawal>;
export const Withdrawal = z.object({
  id: z.uuid(),
  /** The platform's own id. Null if the platform did not send it. */
  platformId: z.string().nullable(),
  user: z.string(),
  /** The id of the owner, for the link to the profile. */
  userUuid: z.uuid(),
  amount: amount('USD'),
  wallet: z.string(),
  /** The status of the specification, derived from the state. */
  status: WithdrawalStatus,
  state: WithdrawalState,
  date: Timestamp,
  /** The user's figures at the time of the request. */
  gmpShares: amount('SHARE'),
  prevSLX: amount('SLX'),
  slxPoints: amount('SLX'),
  balance: amount('USD'),
  decidedAt: Timestamp.nullable(),
  decidedBy: z.string().nullable(),
  /** Why it was rejected or failed, or why it is said to have failed in a pending request. */
  reason: z.string().nullable(),
  /**
   * Names the transaction that paid it. No two withdrawals have the same. Before the approval: what a request says paid
   * it, unless that was denied.
   */
  reference: z.string().nullable(),
  /** Who was to send it. Null until it is approved. */
  mode: WithdrawalMode.nullable(),
  /** When the platform was asked to send it. */
  askedAt: Timestamp.nullable(),
  sentAt: Timestamp.nullable(),
  /** The administrator who reported it, if one did. The same applies to the next two. */
  sentBy: z.string().nullable(),
  sentSource: SettlementSource.nullable(),
  unknownAt: Timestamp.nullable(),
  unknownBy: z.string().nullable(),
  unknownSource: SettlementSource.nullable(),
  /** When it was confirmed or failed. Null for withdrawals completed before outcomes were recorded. */
  settledAt: Timestamp.nullable(),
  settledBy: z.string().nullable(),
  settledSource: SettlementSource.nullable(),
  /** The administrator who requested the second approval of a failure, decided or pending. */
  failureRequestedBy: z.string().nullable(),
  /** The administrator who requested the second approval of the payment, decided or pending. */
  preparedBy: z.string().nullable(),
  /** When the pending approval request expires. */
  waitsUntil: Timestamp.nullable(),
  /** The pending approval request. */
  waitingApproval: z.uuid().nullable(),
  signals: z.array(Signal),
});

export type WithdrawalSort = z.output<typeof WithdrawalSort>;
export const WithdrawalSort = z.enum(['-date', 'date', 'amount', '-amount']);

export const WithdrawalNotFound = 'This withdrawal does not exist.';

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
    /** Only approved withdrawals in this state, which wait for their outcome. */
    open: OpenState.optional(),
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

/** Names one transaction. */
export const Reference = z.string().trim().min(1).max(200);
export const ReferenceTaken = 'Another withdrawal has this reference.';

export const Reason = z.string().trim().min(1).max(500);
const decisions = {
  AlreadySent:
    'An earlier request says that this withdrawal was already sent. Request its approval with the same reference. If that is denied, the withdrawal can be rejected or approved again.',
  WithdrawalDecided: 'Someone else has just decided this withdrawal.',
  BalanceTooLow:
    'The user’s balance on hold does not cover this withdrawal. Nothing was changed. Verify the ledger before you try again.',
} as const;
const approvals = {
  ...decisions,
  WithdrawalsDisabled: 'Withdrawals are disabled. Enable them first.',
  UnderMaintenance: 'Withdrawals are frozen while the platform is under maintenance.',
  UserDeleted: 'This user was deleted. Reject the withdrawal.',
  UserBlacklisted: 'This user is blacklisted. Reject the withdrawal, or remove the user from the blacklist first.',
  ApprovalWaiting: 'This withdrawal is already waiting for a second approver.',
  WithdrawalForged:
    'This withdrawal was not requested through Bursar, or was changed since. Don’t approve anything until the cause is known.',
  ReferenceTaken,
} as const;

export const approveWithdrawal = endpoint({
  feature: 'withdrawals',
  movesMoney: true,
  method: 'POST',
  url: '/api/withdrawals/:id/approve',
  access: 'money.prepare',
  summary:
    'Approve a withdrawal, which is then sent, or was if a reference is given; above the daily limit, request a second approval',
  params: z.strictObject({ id: z.uuid() }),
  body: z.strictObject({
    /**
     * The transaction that has already paid it. Without it, the withdrawal is approved and not sent yet. Required if an
     * earlier request named one and was not denied.
     */
    reference: Reference.optional(),
  }),
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
export function refuseDeciding({ state }: Pick<Withdrawal, 'state'>) {
  return state === 'requested' ? undefined : ('WithdrawalDecided' as const);
}

/** Returns why a withdrawal cannot be rejected. One that may have been paid must not be returned by one administrator. */
export function refuseRejecting({ state, reference }: Pick<Withdrawal, 'state' | 'reference'>) {
  return refuseDeciding({ state }) ?? (reference === null ? undefined : ('AlreadySent' as const));
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
  stepUp: true,
  method: 'POST',
  url: '/api/withdrawals/switch',
  access: 'switches.write',
  summary: 'Enable or disable new requests and approvals for the whole platform',
  body: z.strictObject({ enabled: z.boolean() }),
  answer: z.object({ switch: Switch }),
  refusals: {},
});
