import { z } from 'zod';
import { endpoint } from './core/endpoint.ts';
import {
  HappenedAt,
  inboundLimits,
  inboundRefusals,
  itemRefusals,
  itemsOf,
  OwnerId,
  PlatformId,
  resultsOf,
} from './core/inbound.ts';

const { IdReused, UserUnknown, UserDeleted, TimeInvalid } = itemRefusals;
const TextInvalid = 'A text is empty or too long: a subject can have 200 characters, all others 5,000.';

export const ticketItemRefusals = { IdReused, UserUnknown, UserDeleted, TimeInvalid, TextInvalid } as const;

export type TicketItem = z.output<typeof TicketItem>;
const TicketItem = z.strictObject({
  id: PlatformId,
  user: OwnerId,
  type: z.string().trim().describe('The subject: 1 to 200 characters.'),
  description: z.string().trim().describe('1 to 5,000 characters.'),
  at: HappenedAt,
});

export const storeTickets = endpoint({
  feature: 'tickets',
  method: 'POST',
  url: '/api/platform/tickets',
  access: 'tickets:write',
  summary: 'Add tickets that users open',
  body: itemsOf(TicketItem),
  bodyLimits: inboundLimits,
  answer: resultsOf(ticketItemRefusals),
  refusals: inboundRefusals,
  example: {
    body: {
      items: [
        {
          id: 'ticket-41',
          user: 'U10000001',
          type: 'Withdrawal',
          description: 'When does my withdrawal arrive?',
          at: '2026-03-01T10:10:00Z',
        },
      ],
    },
    answer: { results: [{ id: 'ticket-41', outcome: 'stored' }] },
  },
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
  ticket: PlatformId.describe('The ID under which the ticket was sent. Its user is the sender.'),
  message: z.string().trim().describe('1 to 5,000 characters.'),
  at: HappenedAt,
});

export const storeMessages = endpoint({
  feature: 'tickets',
  method: 'POST',
  url: '/api/platform/ticket-messages',
  access: 'tickets:write',
  summary: 'Add messages of users to their tickets; a ticket that awaits its user is in progress again',
  body: itemsOf(MessageItem),
  bodyLimits: inboundLimits,
  answer: resultsOf(messageItemRefusals),
  refusals: inboundRefusals,
  example: {
    body: {
      items: [{ id: 'message-95', ticket: 'ticket-41', message: 'I requested it today.', at: '2026-03-01T10:12:00Z' }],
    },
    answer: { results: [{ id: 'message-95', outcome: 'stored' }] },
  },
});
