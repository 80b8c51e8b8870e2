import { z } from 'zod';
import { ApprovalFact } from './approvals-facts.ts';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { rule } from './core/field-errors.ts';
import { amount } from './core/money.ts';
import { badCursor, pageAnswer, pageQuery } from './core/paging.ts';
import { Signal } from './withdrawals-signals.ts';

export type ApprovalKind = z.output<typeof ApprovalKind>;
export const ApprovalKind = z.enum([
  'withdrawal',
  'adjustment',
  'task',
  'run',
  'settings',
  'limit',
  'grant',
  'repair',
  'plan',
]);

export type ApprovalState = z.output<typeof ApprovalState>;
export const ApprovalState = z.enum(['waiting', 'approved', 'denied', 'expired', 'void']);

const Who = z.object({ id: z.uuid(), username: z.string() });

export type Approval = z.output<typeof Approval>;
const Approval = z.object({
  id: z.uuid(),
  kind: ApprovalKind,
  subject: z.uuid(),
  /** The user whose money it is. Null if there is no single one, such as for a run. */
  userUuid: z.uuid().nullable(),
  /** Exactly what an approval would do, in display order. */
  facts: z.array(ApprovalFact),
  /** The hash of all the above. Sent back with the decision, so that nobody approves what they have not seen. */
  digest: z.string(),
  requestedBy: Who,
  requestedAt: Timestamp,
  expiresAt: Timestamp,
  state: ApprovalState,
  decidedBy: Who.nullable(),
  decidedAt: Timestamp.nullable(),
  reason: z.string().nullable(),
});

/**
 * A request as a possible approver sees it. The fields added here are computed for every response. They are not part of
 * the facts, nor of their digest.
 */
export type ListedApproval = z.output<typeof ListedApproval>;
const ListedApproval = Approval.extend({
  /** The risk signals of its withdrawal, while the request is waiting. */
  signals: z.array(Signal),
  /** Whether the caller has the permission, did not make the request, and has an account older than it. */
  mayApprove: z.boolean(),
});

/** A pending request, shown with the item that it would change. */
export type Waiting = z.output<typeof Waiting>;
export const Waiting = z.object({ approval: z.uuid(), facts: z.array(ApprovalFact), requestedBy: z.string() });

const texts = {
  ApprovalNotFound: 'There is no such request.',
  OwnRequest: 'You requested this, so someone else must decide.',
  TooEarly: 'This installation is set up for a single administrator: it waits before you can approve it yourself.',
  TooNew: 'Your account is newer than this request, so another administrator must decide.',
  ApprovalExpired: 'This request has expired. It can be made again.',
  ApprovalDecided: 'Someone else has just decided this.',
  ApprovalVoid:
    'The item has changed since this request was made, so the request is superseded. Request it again if it is still needed.',
} as const;

/** If set, the only administrator may approve their own requests after this many seconds. */
export type FourEyes = { aloneAfterSeconds: number | null };

/** Returns why this administrator cannot approve the request. All who may decide, even its requester, can deny it. */
export function refuseApproving(
  { state, requestedBy, requestedAt, expiresAt }: Pick<Approval, 'state' | 'requestedBy' | 'requestedAt' | 'expiresAt'>,
  { me, now, aloneAfterSeconds }: FourEyes & { me: string; now: Date },
) {
  if (state === 'expired' || (state === 'waiting' && expiresAt <= now)) return 'ApprovalExpired';
  if (state !== 'waiting') return 'ApprovalDecided';
  if (requestedBy.id !== me) return undefined;
  if (aloneAfterSeconds === null) return 'OwnRequest';
  return now.getTime() < requestedAt.getTime() + aloneAfterSeconds * 1000 ? 'TooEarly' : undefined;
}

export const listApprovals = endpoint({
  feature: 'approvals',
  method: 'GET',
  url: '/api/approvals',
  access: 'platform.read',
  summary: 'List approval requests a page at a time, newest first',
  querystring: z.strictObject({ ...pageQuery, state: ApprovalState.optional() }),
  answer: z.object({
    approvals: z.array(ListedApproval),
    ...pageAnswer,
    aloneAfterSeconds: z.int().nullable(),
  }),
  refusals: { 422: badCursor },
});

export const readApproval = endpoint({
  feature: 'approvals',
  method: 'GET',
  url: '/api/approvals/:id',
  access: 'platform.read',
  summary: 'Read one request',
  params: z.strictObject({ id: z.uuid() }),
  answer: z.object({
    approval: ListedApproval,
    aloneAfterSeconds: z.int().nullable(),
    /** The usernames of those who may approve it, while it is waiting. */
    deciders: z.array(z.string()),
  }),
  refusals: { 404: { ApprovalNotFound: texts.ApprovalNotFound } },
});

export const decideApproval = endpoint({
  feature: 'approvals',
  movesMoney: true,
  method: 'POST',
  url: '/api/approvals/:id/decide',
  access: 'money.approve',
  summary: 'Approve a request exactly as it was made, or deny it with a reason',
  params: z.strictObject({ id: z.uuid() }),
  body: z.strictObject({
    decision: z.enum(['approve', 'deny']),
    digest: z.string().max(100),
    reason: z.string().trim().min(1).max(500).optional(),
  }),
  answer: z.object({ approval: Approval }),
  refusals: {
    404: { ApprovalNotFound: texts.ApprovalNotFound },
    409: {
      ApprovalDecided: texts.ApprovalDecided,
      ApprovalExpired: texts.ApprovalExpired,
      ApprovalVoid: texts.ApprovalVoid,
      OwnRequest: texts.OwnRequest,
      TooEarly: texts.TooEarly,
      TooNew: texts.TooNew,
      OwnGrant: 'This grant is for you, so someone else must decide.',
      BalanceTooLow: 'The user’s available balance is too low.',
      TreasuryTooLow: 'The treasury’s spare balance is too low.',
      WithdrawalDecided: 'Someone else has just decided this withdrawal.',
      WithdrawalsDisabled: 'Withdrawals are disabled. Enable them first.',
      UnderMaintenance: 'Withdrawals are frozen while the platform is under maintenance.',
      UserDeleted: 'This user was deleted. Reject the withdrawal.',
      UserBlacklisted: 'This user is blacklisted. Reject the withdrawal, or remove the user from the blacklist first.',
    },
    422: { ReasonRequired: 'Say why.' },
  },
});

/** The actions that need a second approver above a limit. */
export type LimitKind = z.output<typeof LimitKind>;
export const LimitKind = z.enum(['withdrawal', 'adjustment', 'task', 'run']);

/** The assets that have limits. Both have six decimals. */
export type LimitAsset = z.output<typeof LimitAsset>;
const LimitAsset = z.enum(['USD', 'GMP']);
const LimitAmount = amount('USD').refine((units) => units >= 0n, rule('must be at least 0'));

export type Limit = z.output<typeof Limit>;
const Limit = z.object({
  kind: LimitKind,
  asset: LimitAsset,
  limit: LimitAmount,
  version: z.int(),
  /** Null until someone changes the default. */
  savedBy: z.string().nullable(),
  approvedBy: z.string().nullable(),
  savedAt: Timestamp,
  waiting: Waiting.nullable(),
});

export const listLimits = endpoint({
  feature: 'approvals',
  method: 'GET',
  url: '/api/approvals/limits',
  access: 'platform.read',
  summary: 'Read from which amounts on a second approver is needed',
  answer: z.object({ limits: z.array(Limit) }),
  refusals: {},
});

export const requestLimit = endpoint({
  feature: 'approvals',
  method: 'POST',
  url: '/api/approvals/limits',
  access: 'admins.write',
  summary: 'Request a change to a limit',
  body: z.strictObject({ kind: LimitKind, asset: LimitAsset, limit: LimitAmount, version: z.int() }),
  answer: z.object({ limits: z.array(Limit) }),
  refusals: {
    404: { LimitNotFound: 'There is no such limit.' },
    409: {
      LimitConflict: 'Someone else has just changed this limit. Check the new value and request the change again.',
      LimitWaits: 'A change to this limit is already waiting for a second approver. It must be decided first.',
      LimitUnchanged: 'The limit is already set to this amount.',
    },
  },
});
