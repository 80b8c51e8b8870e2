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
  /** Whose money it is; nobody's alone, where a run pays many. */
  userUuid: z.uuid().nullable(),
  /** Exactly what would be done, in the order in which it is read. */
  facts: z.array(ApprovalFact),
  /** Of all the above: sent back with the decision, so that nobody approves what they have not seen. */
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
 * A request as somebody who may decide it sees it. What is added here is read anew with every answer and stands beside
 * what is approved: it is no part of the facts, nor of their digest.
 */
export type ListedApproval = z.output<typeof ListedApproval>;
const ListedApproval = Approval.extend({
  /** What is unusual about its withdrawal, while it waits. */
  signals: z.array(Signal),
  /** Whether the caller may approve it: they hold the permission, did not request it, and were here before it. */
  mayApprove: z.boolean(),
});

/** What waits for a second approver, beside the thing that it would change. */
export type Waiting = z.output<typeof Waiting>;
export const Waiting = z.object({ approval: z.uuid(), facts: z.array(ApprovalFact), requestedBy: z.string() });

const words = {
  ApprovalNotFound: 'There is no such request.',
  OwnRequest: 'You asked for this yourself: somebody else must decide.',
  TooEarly: 'This installation is set up for a single administrator: it waits before you can approve it yourself.',
  TooNew: 'Your account is newer than this request: somebody who was there before must decide.',
  ApprovalExpired: 'This request has expired. It can be made again.',
  ApprovalDecided: 'Somebody else decided this just now.',
  ApprovalVoid: 'What was asked for has changed since. This request is void; it can be made again.',
} as const;

/** How the installation is run: with one administrator alone, what is asked for waits for so long instead. */
export type FourEyes = { aloneAfterSeconds: number | null };

/** Why this administrator cannot approve this. Denying is open to everyone who may decide, the asker too. */
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
  summary: 'List what was asked for, a page at a time, newest first',
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
    /** Who may approve it, by name, while it waits. */
    deciders: z.array(z.string()),
  }),
  refusals: { 404: { ApprovalNotFound: words.ApprovalNotFound } },
});

export const decideApproval = endpoint({
  feature: 'approvals',
  movesMoney: true,
  method: 'POST',
  url: '/api/approvals/:id/decide',
  access: 'money.approve',
  summary: 'Approve exactly what was asked for, or deny it with a reason',
  params: z.strictObject({ id: z.uuid() }),
  body: z.strictObject({
    decision: z.enum(['approve', 'deny']),
    digest: z.string().max(100),
    reason: z.string().trim().min(1).max(500).optional(),
  }),
  answer: z.object({ approval: Approval }),
  refusals: {
    404: { ApprovalNotFound: words.ApprovalNotFound },
    409: {
      ApprovalDecided: words.ApprovalDecided,
      ApprovalExpired: words.ApprovalExpired,
      ApprovalVoid: words.ApprovalVoid,
      OwnRequest: words.OwnRequest,
      TooEarly: words.TooEarly,
      TooNew: words.TooNew,
      OwnGrant: 'This is about yourself: somebody else must decide.',
      BalanceTooLow: 'What the user has does not cover it.',
      TreasuryTooLow: 'What the treasury has to spare does not cover it.',
      WithdrawalDecided: 'Somebody else decided this withdrawal just now.',
      WithdrawalsDisabled: 'Withdrawals are disabled. Enable them first.',
      UnderMaintenance: 'Withdrawals are frozen while the platform is under maintenance.',
      UserDeleted: 'This user was deleted. Reject the withdrawal.',
      UserBlacklisted: 'This user is blacklisted. Reject the withdrawal, or take the user off the blacklist first.',
    },
    422: { ReasonRequired: 'Say why.' },
  },
});

/** From which amount on a second approver is needed, and for what. */
export type LimitKind = z.output<typeof LimitKind>;
export const LimitKind = z.enum(['withdrawal', 'adjustment', 'task', 'run']);

/** Nothing else has a limit; both count in millionths. */
export type LimitAsset = z.output<typeof LimitAsset>;
const LimitAsset = z.enum(['USD', 'GMP']);
const LimitAmount = amount('USD').refine((units) => units >= 0n, rule('must be at least 0'));

export type Limit = z.output<typeof Limit>;
const Limit = z.object({
  kind: LimitKind,
  asset: LimitAsset,
  limit: LimitAmount,
  version: z.int(),
  /** Null where nobody has changed what an installation starts with. */
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

export const askForLimit = endpoint({
  feature: 'approvals',
  method: 'POST',
  url: '/api/approvals/limits',
  access: 'admins.write',
  summary: 'Ask a second approver for another limit',
  body: z.strictObject({ kind: LimitKind, asset: LimitAsset, limit: LimitAmount, version: z.int() }),
  answer: z.object({ limits: z.array(Limit) }),
  refusals: {
    404: { LimitNotFound: 'There is no such limit.' },
    409: {
      LimitConflict: 'Someone else changed this limit just now. Check the new value and ask again.',
      LimitWaits: 'A change to this limit is already waiting for a second approver. It must be decided first.',
      LimitUnchanged: 'This is the limit already.',
    },
  },
});
