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

/** A run pays many users, so an event describes a chunk of it. The users and amounts are in the list of payments. */
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
  /** The address of the payments of the run, a page at a time. */
  payments: z.string(),
});

/** The data of each type of event. None of it is secret. */
export const eventData = {
  'user.blacklisted': z.object({ ...user, isBlacklisted: z.boolean(), reason: z.string().nullable() }),
  'user.changed': z.object({
    ...user,
    /** The names of the fields that changed. */
    changed: z.array(z.enum(['role', 'wallet', 'referralCode', 'rank', 'isDeleted'])),
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
  /** Stays the same when the event is sent again: a receiver ignores an id that it has already handled. */
  id: z.uuid(),
  seq: EventSeq,
  /** A string, because a later version has more types. */
  type: z.string(),
  /** The user, withdrawal, run or ticket. Events of one subject arrive in order. */
  subjectId: z.string(),
  timestamp: Timestamp,
  data: z.record(z.string(), z.json()),
});

const eventsOnWire = z.string().regex(/^\d{1,4}$/, rule('must be a whole number from 1 to 1,000'));

export const listEvents = endpoint({
  feature: 'integrations',
  method: 'GET',
  url: '/api/platform/events',
  access: 'events:read',
  summary: 'Read events in the order in which they were committed, after a cursor',
  querystring: z.strictObject({
    /** The `cursor` of the answer before; without it, from the oldest event that is kept. */
    after: EventSeq.optional(),
    limit: z.codec(eventsOnWire, z.int().min(1).max(1_000), { decode: Number, encode: String }).optional(),
  }),
  answer: z.object({
    events: z.array(PlatformEvent),
    /** Pass it as `after` to continue. */
    cursor: EventSeq,
    hasMore: z.boolean(),
    /** The oldest event that is kept. Null if there is none. */
    oldest: EventSeq.nullable(),
  }),
  refusals: {},
});
