import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';
import {
  inboundBytes,
  inboundRefusals,
  itemRefusals,
  itemsOf,
  PlatformId,
  resultsOf,
  ShownId,
} from './core/inbound.ts';

const { IdReused, UserUnknown, UserDeleted, TimeInvalid } = itemRefusals;
const TextInvalid = 'A text is empty or too long: a subject can have 200 characters, all others 5,000.';

export const ticketItemRefusals = { IdReused, UserUnknown, UserDeleted, TimeInvalid, TextInvalid } as const;

export type TicketItem = z.output<typeof TicketItem>;
const TicketItem = z.strictObject({
  id: PlatformId,
  user: ShownId,
  /** Shown as the subject. */
  type: z.string().trim(),
  description: z.string().trim(),
  at: Timestamp,
});

export const storeTickets = endpoint({
  feature: 'tickets',
  method: 'POST',
  url: '/api/platform/tickets',
  access: 'tickets:write',
  summary: 'Add tickets that users open',
  body: itemsOf(TicketItem),
  bodyBytes: inboundBytes,
  answer: resultsOf(ticketItemRefusals),
  refusals: inboundRefusals,
});

export const messageItemRefusals = {
  IdReused,
  TimeInvalid,
  TextInvalid,
  TicketUnknown: 'No ticket has this ID. Send the ticket first.',
} as const;

export type MessageItem = z.output<typeof MessageItem>;
const MessageItem = z.strictObject({
  id: PlatformId,
  /** The ID under which the ticket was sent. Its user is the sender. */
  ticket: PlatformId,
  message: z.string().trim(),
  at: Timestamp,
});

export const storeMessages = endpoint({
  feature: 'tickets',
  method: 'POST',
  url: '/api/platform/ticket-messages',
  access: 'tickets:write',
  summary: 'Add messages of users to their tickets; a ticket that awaits its user is in progress again',
  body: itemsOf(MessageItem),
  bodyBytes: inboundBytes,
  answer: resultsOf(messageItemRefusals),
  refusals: inboundRefusals,
});
