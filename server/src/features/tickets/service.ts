import { rowsByDefault } from 'contract/core/paging.ts';
import type { TicketSort, TicketStatus } from 'contract/tickets.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { recordEvent } from '#server/core/outbox/outbox.ts';
import { Refusal } from '#server/core/refusal.ts';
import {
  type Filter,
  insertReply,
  insertTicket,
  lockTicket,
  selectPage,
  selectPlatformId,
  selectReplies,
  selectTicket,
  selectTotal,
  selectWriter,
  updateResponse,
  updateStatus,
} from './queries.ts';

type Params = Filter & { sort?: TicketSort | undefined; cursor?: string | undefined; limit?: number | undefined };

export async function listTickets(db: Db, { sort, limit, cursor, ...filter }: Params) {
  const query = { ...filter, sort: sort ?? '-createdAt', cursor, limit: limit ?? rowsByDefault };
  const { rows, ...page } = await selectPage(db, query);
  return { tickets: rows, ...page };
}

/** Reads the counters, so the cost does not depend on the number of tickets. */
export async function countTickets(db: Db) {
  return { open: await selectTotal(db, 'open') };
}

export async function readTicket(db: Db, id: string) {
  const ticket = await selectTicket(db, id);
  if (!ticket) throw new Refusal('TicketNotFound');
  return { ticket, userUuid: await selectWriter(db, id), replies: await selectReplies(db, id) };
}

type Opening = { actor: Actor; type: string; description: string };

export async function createTicket(tx: Tx, { actor, type, description }: Opening) {
  const ticket = await insertTicket(tx, { type, description, username: actor.username, openedBy: actor.id });
  await announce(tx, { feature: 'tickets', id: ticket.id });
  await recordAudit(tx, {
    actorId: actor.id,
    action: 'tickets.create',
    subjectId: ticket.id,
    details: { after: { type } },
  });
  return ticket;
}

export async function setTicketStatus(
  tx: Tx,
  { actor, id, status }: { actor: Actor; id: string; status: TicketStatus },
) {
  const before = await lockTicket(tx, id);
  if (!before) throw new Refusal('TicketNotFound');
  if (before.status === status) return { ticket: before, changed: false };

  const ticket = await updateStatus(tx, id, status);
  await announce(tx, { feature: 'tickets', id });
  const details = { before: { status: before.status }, after: { status } };
  await recordAudit(tx, { actorId: actor.id, action: 'tickets.set-status', subjectId: id, details });
  return { ticket, changed: true };
}

export async function replyToTicket(tx: Tx, { actor, id, message }: { actor: Actor; id: string; message: string }) {
  const before = await lockTicket(tx, id);
  if (!before) throw new Refusal('TicketNotFound');

  const reply = await insertReply(tx, { ticketId: id, sender: actor.username, senderId: actor.id, message });
  const status = before.status === 'open' ? 'in_progress' : before.status;
  const ticket = await updateResponse(tx, id, { response: message, status });
  await announce(tx, { feature: 'tickets', id });
  const { username, type } = ticket;
  const data = { ticketId: id, platformId: await selectPlatformId(tx, id), username, type, status, reply };
  await recordEvent(tx, { type: 'ticket.replied', subjectId: id, data });
  const details = { reply: reply.id, before: { status: before.status }, after: { status } };
  await recordAudit(tx, { actorId: actor.id, action: 'tickets.reply', subjectId: id, details });
  return { ticket, reply };
}
