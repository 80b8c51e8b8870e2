import { z } from 'zod';
import { Waiting } from './approvals.ts';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { PlatformId } from './core/inbound.ts';
import { amount } from './core/money.ts';
import { Outcome, WithdrawalMode, WithdrawalState } from './withdrawal-states.ts';
import { Reason, Reference, ReferenceTaken, Withdrawal, WithdrawalNotFound } from './withdrawals.ts';

/** The reasons for which the outcome of a withdrawal cannot be recorded, for administrators and the platform alike. */
const settlementRefusals = {
  WithdrawalSettled: 'This withdrawal has already ended, and its outcome cannot change.',
  NotApproved: 'This withdrawal is not approved yet.',
  OutcomeNotPossible: 'The status of this withdrawal has changed, so this can no longer be recorded.',
  ReferenceRequired: 'Enter the transaction reference. Without one, a withdrawal is neither sent nor confirmed.',
  ReasonRequired: 'Enter the reason for the failure.',
  ReferenceTaken,
  ReferenceDiffers: 'This withdrawal was sent under another reference.',
  BalanceTooLow:
    'The user’s balance on hold does not cover this withdrawal. Nothing was changed. Verify the ledger before you try again.',
} as const;

export const settleWithdrawal = endpoint({
  feature: 'withdrawals',
  movesMoney: true,
  method: 'POST',
  url: '/api/withdrawals/:id/settle',
  access: 'money.prepare',
  summary:
    'Record what became of an approved withdrawal; a failure after it may have been sent needs a second approver',
  params: z.strictObject({ id: z.uuid() }),
  body: z.strictObject({
    outcome: Outcome,
    reference: Reference.optional().describe(
      'Names the transaction. Required for `sent`, and for `confirmed` unless it is already known.',
    ),
    reason: Reason.optional().describe('Required for `failed`.'),
  }),
  answer: z.object({ withdrawal: Withdrawal }),
  refusals: {
    404: { WithdrawalNotFound },
    409: {
      ...settlementRefusals,
      PlatformSends:
        'The platform was asked to send this withdrawal, so only the platform can report that. If it does not, mark the withdrawal as unknown.',
      ApprovalWaiting: 'The failure of this withdrawal is already waiting for a second approver.',
    },
  },
});

const OpenSum = z.object({ count: z.int(), amount: amount('USD'), oldest: Timestamp.nullable() });

export type Settlement = z.output<typeof Settlement>;
const Settlement = z.object({ approved: OpenSum, sent: OpenSum, unknown: OpenSum });

export const readSettlement = endpoint({
  feature: 'withdrawals',
  method: 'GET',
  url: '/api/withdrawals/settlement',
  access: 'platform.read',
  summary: 'How many approved withdrawals wait for their outcome in each state, and since when',
  answer: z.object({ settlement: Settlement }),
  refusals: {},
});

export type WithdrawalSettings = z.output<typeof WithdrawalSettings>;
const WithdrawalSettings = z.object({
  mode: WithdrawalMode,
  /** After how many hours without a confirmation a sent withdrawal is unknown. */
  unknownAfterHours: z.int(),
  version: z.int(),
  /** Null until someone changes the default. */
  savedBy: z.string().nullable(),
  approvedBy: z.string().nullable(),
  savedAt: Timestamp,
  waiting: Waiting.nullable(),
});

export const readWithdrawalSettings = endpoint({
  feature: 'withdrawals',
  method: 'GET',
  url: '/api/withdrawals/settings',
  access: 'platform.read',
  summary: 'Read who sends approved withdrawals, and when a sent one is unknown',
  answer: z.object({ settings: WithdrawalSettings }),
  refusals: {},
});

/** How long a sent withdrawal may wait for its confirmation. */
export const unknownAfterLimits = { min: 1, max: 720 };

export const requestWithdrawalSettings = endpoint({
  feature: 'withdrawals',
  stepUp: true,
  method: 'POST',
  url: '/api/withdrawals/settings',
  access: 'jobs.write',
  summary: 'Request a change of who sends approved withdrawals',
  body: z.strictObject({
    mode: WithdrawalMode,
    unknownAfterHours: z.int().min(unknownAfterLimits.min).max(unknownAfterLimits.max),
    version: z.int(),
  }),
  answer: z.object({ settings: WithdrawalSettings }),
  refusals: {
    409: {
      SettingsConflict: 'Someone else has just changed these settings. Check them and request the change again.',
      ChangeWaits: 'A change to these settings is already waiting for a second approver. It must be decided first.',
      SettingsUnchanged: 'Nothing has changed.',
    },
  },
});

const exampleReference = '5wHu1qwD7q2ggbWb8cX7y2XzAhVb4sDcpDDrA2CyM3hTRXtkGRkrEVYWx1i1fTy5yR3tkdJmJYjvQm7ppo8ugWz3';

export const reportOutcome = endpoint({
  feature: 'withdrawals',
  movesMoney: true,
  method: 'POST',
  url: '/api/platform/withdrawals/:id/outcome',
  access: 'settlement:write',
  summary:
    'Report what became of a withdrawal that the platform was asked to send; the same report twice changes nothing',
  params: z.strictObject({ id: PlatformId.describe("The platform's own ID, or the `withdrawalId` of the events.") }),
  body: settleWithdrawal.body,
  answer: z.object({
    id: PlatformId.describe('The ID of the request.'),
    state: WithdrawalState,
    reference: z.string().nullable(),
  }),
  refusals: {
    404: { WithdrawalNotFound },
    409: { ...settlementRefusals, NotAsked: 'The platform was not asked to send this withdrawal.' },
  },
  example: {
    params: { id: 'withdrawal-87' },
    body: { outcome: 'confirmed', reference: exampleReference },
    answer: { id: 'withdrawal-87', state: 'confirmed', reference: exampleReference },
  },
});
