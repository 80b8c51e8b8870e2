import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { badCursor, pageAnswer, pageQuery, Search } from './core/paging.ts';

export type TicketStatus = z.output<typeof TicketStatus>;
export const TicketStatus = z.enum(['open', 'in_progress', 'awaiting_user', 'resolved', 'closed', 'rejected']);

export type Ticket = z.output<typeof Ticket>;
export const Ticket = z.object({
  id: z.uuid(),
  /** Shown as the subject. */
  type: z.string(),
  description: z.string(),
  username: z.string(),
  status: TicketStatus,
  createdAt: Timestamp,
  /** The latest reply by an administrator. */
  response: z.string().nullable(),
});

export type Reply = z.output<typeof Reply>;
export const Reply = z.object({ id: z.uuid(), sender: z.string(), message: z.string(), createdAt: Timestamp });

const TicketNotFound = 'This ticket no longer exists.';
const TicketId = z.strictObject({ id: z.uuid() });

export type TicketSort = z.output<typeof TicketSort>;
export const TicketSort = z.enum([
  '-createdAt',
  'createdAt',
  'type',
  '-type',
  'username',
  '-username',
  'status',
  '-status',
]);

export const listTickets = endpoint({
  feature: 'tickets',
  method: 'GET',
  url: '/api/tickets/all',
  access: 'platform.read',
  summary: 'List tickets a page at a time, newest first unless sorted otherwise',
  querystring: z.strictObject({
    ...pageQuery,
    status: TicketStatus.optional(),
    search: Search.optional(),
    /** Only tickets that this user of the platform wrote. */
    user: z.uuid().optional(),
    sort: TicketSort.optional(),
  }),
  answer: z.object({ tickets: z.array(Ticket), ...pageAnswer }),
  refusals: { 422: badCursor },
});

export const createTicket = endpoint({
  feature: 'tickets',
  method: 'POST',
  url: '/api/tickets',
  access: 'tickets.write',
  summary: 'Open a ticket in your own name',
  body: z.strictObject({ type: z.string().trim().min(1).max(200), description: z.string().trim().min(1).max(5_000) }),
  answer: Ticket,
  refusals: {},
});

export const readTicket = endpoint({
  feature: 'tickets',
  method: 'GET',
  url: '/api/tickets/:id',
  access: 'platform.read',
  summary: 'Read a ticket and its replies, oldest first',
  params: TicketId,
  answer: z.object({
    ticket: Ticket,
    /** The user of the platform who wrote it. Null if an administrator did, or if the user was deleted. */
    userUuid: z.uuid().nullable(),
    replies: z.array(Reply),
  }),
  refusals: { 404: { TicketNotFound } },
});

export const setTicketStatus = endpoint({
  feature: 'tickets',
  method: 'PATCH',
  url: '/api/tickets/:id/status',
  access: 'tickets.write',
  summary: 'Set any status',
  params: TicketId,
  body: z.strictObject({ status: TicketStatus }),
  answer: z.object({
    ticket: Ticket,
    /** False if it already had that status, such as when two administrators close it concurrently. */
    changed: z.boolean(),
  }),
  refusals: { 404: { TicketNotFound } },
});

export const replyToTicket = endpoint({
  feature: 'tickets',
  method: 'POST',
  url: '/api/tickets/:id/reply',
  access: 'tickets.write',
  summary: 'Reply; an open ticket moves to in_progress',
  params: TicketId,
  body: z.strictObject({ message: z.string().trim().min(1).max(5_000) }),
  answer: z.object({ ticket: Ticket, reply: Reply }),
  refusals: { 404: { TicketNotFound } },
});
