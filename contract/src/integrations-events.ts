import { z } from 'zod';
import { Day, endpoint, Timestamp } from './core/endpoint.ts';
import { rule } from './core/field-errors.ts';
import { amount, Asset } from './core/money.ts';
import { RankOrNone } from './ranks.ts';
import { RunKind } from './run-kinds.ts';
import { TicketStatus } from './tickets.ts';
import { WithdrawalState, WithdrawalStatus } from './withdrawal-states.ts';

/** The uuid, the platform's own id, which is also the number that humans quote, and the name. */
const user = { userUuid: z.uuid(), userId: z.string(), username: z.string() };

/** Null if the platform did not send it. */
const platformId = z.string().nullable();

const withdrawal = z.object({
  withdrawalId: z.uuid(),
  platformId,
  ...user,
  amount: amount('USD'),
  asset: z.literal('USD'),
  wallet: z.string(),
  status: WithdrawalStatus,
  state: WithdrawalState,
  /** Whether the platform is asked to send it. It then reports the outcome. */
  isAsked: z.boolean(),
  reason: z.string().nullable(),
  /** The reference of the transaction, if one is known. */
  reference: z.string().nullable(),
});

/** A run pays many users, so an event describes a chunk of it. The list of its payments names the users. */
const payments = z.object({
  runId: z.uuid(),
  kind: RunKind,
  period: z.string(),
  day: Day,
  chunk: z.int(),
  asset: Asset,
  /** The number of payments. */
  count: z.int(),
  /** The amount that the users received, or the amount that a reversal reversed. */
  amount: z.string(),
  /** What was set aside for the users until their stakes end. */
  setAside: z.string(),
  /** The address of these payments, a page at a time. */
  payments: z.string(),
});

/** The data of each type of event. None of it is secret. */
export const eventData = {
  'user.blacklisted': z.object({ ...user, isBlacklisted: z.boolean(), reason: z.string().nullable() }),
  'user.changed': z.object({
    ...user,
    /** The names of the fields that changed. */
    changed: z.array(z.enum(['role', 'wallet', 'referralCode', 'rank', 'isDeleted', 'password'])),
    role: z.string(),
    wallet: z.string(),
    referralCode: z.string(),
    rank: RankOrNone,
    isDeleted: z.boolean(),
  }),
  'withdrawal.approved': withdrawal,
  'withdrawal.rejected': withdrawal,
  'withdrawal.confirmed': withdrawal,
  'withdrawal.failed': withdrawal,
  'stake.completed': z.object({
    runId: z.uuid(),
    day: Day,
    count: z.int(),
    /** The stakes that ended, at most `stakesInEvent`; more are in further events. */
    stakes: z.array(
      z.object({ id: z.uuid(), stakeId: z.string(), userUuid: z.uuid(), userId: z.string(), amount: amount('USD') }),
    ),
  }),
  'payment.made': payments,
  'payment.reversed': payments.extend({ reverses: z.uuid(), reason: z.string().nullable() }),
  'ticket.replied': z.object({
    ticketId: z.uuid(),
    platformId,
    username: z.string(),
    type: z.string(),
    status: TicketStatus,
    reply: z.object({ id: z.uuid(), sender: z.string(), message: z.string(), createdAt: Timestamp }),
  }),
  'maintenance.changed': z.object({ active: z.boolean(), endsAt: Timestamp.nullable() }),
  'withdrawals.switched': z.object({ enabled: z.boolean() }),
  /** Sent only to the webhook that it names. */
  'webhook.test': z.object({ webhookId: z.uuid() }),
};

/** An event names at most this many stakes, so that its body stays small. */
export const stakesInEvent = 200;

export type EventType = keyof typeof eventData;
export type EventData<T extends EventType> = z.output<(typeof eventData)[T]>;

/** The types that a webhook can subscribe to. */
export const SubscribedType = z.enum([
  'user.blacklisted',
  'user.changed',
  'withdrawal.approved',
  'withdrawal.rejected',
  'withdrawal.confirmed',
  'withdrawal.failed',
  'stake.completed',
  'payment.made',
  'payment.reversed',
  'ticket.replied',
  'maintenance.changed',
  'withdrawals.switched',
] as const satisfies readonly EventType[]);
export type SubscribedType = z.output<typeof SubscribedType>;

/** How long events and deliveries are kept. */
export const keptDays = 90;

/** The number of an event, which grows in the order in which events were committed. */
export const EventSeq = z.codec(
  z.string().regex(/^(0|[1-9]\d{0,17})$/, rule('must be the number of an event')),
  z.bigint(),
  { decode: BigInt, encode: String },
);

/** An event as receivers get it: the body of a webhook is one, and the cursor lists the same. */
export type PlatformEvent = z.output<typeof PlatformEvent>;
export const PlatformEvent = z.object({
  id: z.uuid().describe('Stays the same when the event is sent again: ignore an ID that you have already handled.'),
  seq: EventSeq.describe('Grows in the order in which events were committed.'),
  type: z.string().describe('Such as `withdrawal.approved`. A later version has more types.'),
  subjectId: z.string().describe('The user, withdrawal, run or ticket. Events of one subject arrive in order.'),
  timestamp: Timestamp,
  data: z.record(z.string(), z.json()).describe('Depends on the type. A later version has more fields.'),
});

const eventsOnWire = z.string().regex(/^\d{1,4}$/, rule('must be a whole number from 1 to 1,000'));

export const listEvents = endpoint({
  feature: 'integrations',
  method: 'GET',
  url: '/api/platform/events',
  access: 'events:read',
  summary: 'Read events in the order in which they were committed, after a cursor',
  querystring: z.strictObject({
    after: EventSeq.optional().describe(
      'The `cursor` of the response before; without it, from the oldest event that is kept.',
    ),
    limit: z
      .codec(eventsOnWire, z.int().min(1).max(1_000), { decode: Number, encode: String })
      .optional()
      .describe('How many events to return: 1 to 1,000.'),
  }),
  answer: z.object({
    events: z.array(PlatformEvent),
    cursor: EventSeq.describe('Pass it as `after` to continue.'),
    hasMore: z.boolean(),
    oldest: EventSeq.nullable().describe('The oldest event that is kept. Null if there is none.'),
  }),
  refusals: {},
  example: {
    querystring: { after: '48212', limit: '100' },
    answer: {
      events: [
        {
          id: '019aa0c1-5b7e-7cc3-9d1f-0d2f6a1e7b11',
          seq: '48213',
          type: 'withdrawal.approved',
          subjectId: '019aa0bf-90ab-7d13-8ed0-6f6ce2a9c7aa',
          timestamp: '2026-03-01T10:30:00.123Z',
          data: {
            withdrawalId: '019aa0bf-90ab-7d13-8ed0-6f6ce2a9c7aa',
            platformId: 'withdrawal-87',
            userUuid: '019aa0b2-3c55-7a0e-b6a4-51f4a3d0c9e2',
            userId: 'U10000001',
            username: 'marina',
            amount: '25.00',
            asset: 'USD',
            wallet: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
            status: 'Pending',
            state: 'approved',
            isAsked: true,
            reason: null,
            reference: null,
          },
        },
      ],
      cursor: '48213',
      hasMore: false,
      oldest: '101',
    },
  },
});
