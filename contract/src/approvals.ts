import { z } from 'zod';
import { ApprovalFact } from './approvals-facts.ts';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { rule } from './core/field-errors.ts';
import { amount } from './core/money.ts';
import { Assertion } from './approvals-signature.ts';
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
  'promotion',
  'demotion',
  'removal',
  'account',
  'key',
  'reveal',
  'recovery',
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

/** Why an administrator cannot approve a request. The database decides it (`refuse_approving`). */
export type ApproveRefusal = z.output<typeof ApproveRefusal>;
export const ApproveRefusal = z.enum([
  'ApprovalExpired',
  'ApprovalDecided',
  'RequesterGone',
  'ApproverNotPermitted',
  'OwnAccount',
  'OwnRequest',
  'RequesterUnconfirmed',
  'TooEarly',
  'PasswordTemporary',
  'AccountUnconfirmed',
]);

export const approveRefusals = {
  ApprovalExpired: 'This request has expired. It can be made again.',
  ApprovalDecided: 'Someone else has just decided this.',
  RequesterGone:
    'The administrator who requested this was deleted or may no longer request it, so it cannot be approved.',
  ApproverNotPermitted: 'Your permissions do not cover this kind of request, so another administrator must decide.',
  OwnAccount: 'This request is about your own account, so someone else must decide.',
  OwnRequest: 'You requested this, so someone else must decide.',
  RequesterUnconfirmed:
    'You created or changed an account behind this request that nobody has confirmed yet, so someone else must decide.',
  TooEarly:
    'This installation is set up for a single administrator. You can approve your own request after the waiting period.',
  PasswordTemporary: 'Set your own password before you approve anything.',
  AccountUnconfirmed: 'Another approver must confirm your account before you can approve anything.',
} as const satisfies Record<ApproveRefusal, string>;

/**
 * A request as a possible approver sees it. The fields added here are computed for every response. They are not part of
 * the facts, nor of their digest.
 */
export type ListedApproval = z.output<typeof ListedApproval>;
const ListedApproval = Approval.extend({
  /** The risk signals of its withdrawal, while the request is waiting. */
  signals: z.array(Signal),
  /** Why the caller cannot approve it. Null if they can. */
  refusal: ApproveRefusal.nullable(),
});

/** A pending request, shown with the item that it would change. */
export type Waiting = z.output<typeof Waiting>;
export const Waiting = z.object({ approval: z.uuid(), facts: z.array(ApprovalFact), requestedBy: z.string() });

const ApprovalNotFound = 'There is no such request.';

/** If set, the only administrator may approve their own requests after this many seconds. */
export type FourEyes = { aloneAfterSeconds: number | null };

/** The hours after which an account that nobody confirmed or denied may approve. */
export const hoursUntilConfirmed = 72;

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
    /** The administrators who have the permission to approve it, while it is waiting. */
    approvers: z.array(
      z.object({
        username: z.string(),
        refusal: ApproveRefusal.nullable(),
        /** From when on an unconfirmed account may approve. Null if it was denied, or for any other refusal. */
        from: Timestamp.nullable(),
      }),
    ),
  }),
  refusals: { 404: { ApprovalNotFound } },
});

export const decideApproval = endpoint({
  feature: 'approvals',
  stepUp: true,
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
    /** Signs an approval, if the administrator has a passkey. */
    assertion: Assertion.optional(),
  }),
  answer: z.object({ approval: Approval }),
  refusals: {
    404: { ApprovalNotFound },
    409: {
      ...approveRefusals,
      ApprovalVoid:
        'The item has changed since this request was made, so the request is superseded. Request it again if it is still needed.',
      ApprovalForged:
        'This request was not recorded by Bursar, or was changed since. Don’t approve anything until the cause is known.',
      LastSuperAdmin: 'The last Super Admin can’t give up the role.',
      BalanceTooLow: 'The user’s available balance is too low.',
      TreasuryTooLow: 'The treasury does not have enough unreserved funds.',
      ReceivableTooLow: 'The user owes less than this amount.',
      WithdrawalForged:
        'This withdrawal was not requested through Bursar, or was changed since. Don’t approve anything until the cause is known.',
      WithdrawalDecided: 'Someone else has just decided this withdrawal.',
      ReferenceTaken: 'Another withdrawal has this reference.',
      WithdrawalsDisabled: 'Withdrawals are disabled. Enable them first.',
      UnderMaintenance: 'Withdrawals are frozen while the platform is under maintenance.',
      UserDeleted: 'This user was deleted, so nothing can be paid. Deny the request.',
      UserBlacklisted: 'This user is blacklisted. Deny the request, or remove the user from the blacklist first.',
    },
    422: {
      ReasonRequired: 'Enter a reason.',
      SignatureRequired: 'Nothing was approved. Confirm the approval with your passkey.',
      SignatureWrong: 'Nothing was approved. The signature of the passkey does not match this request. Try again.',
    },
  },
});

/**
 * What an administrator may move alone in a day, how much of it by adjustments, what a scheduled run may move, and what
 * a run collects at most from a user who owes something.
 */
export type LimitKind = z.output<typeof LimitKind>;
export const LimitKind = z.enum(['alone', 'adjustment', 'schedule', 'collection']);

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
  summary: 'Read from which amounts on a second approver is needed, and what runs collect from users who owe something',
  answer: z.object({ limits: z.array(Limit) }),
  refusals: {},
});

export const requestLimit = endpoint({
  feature: 'approvals',
  stepUp: true,
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
