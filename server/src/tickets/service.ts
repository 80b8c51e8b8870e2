import { countedAtMost, rowsByDefault } from 'contract/paging.ts';
import type { TicketSort, TicketStatus } from 'contract/tickets.ts';
import { recordAudit } from '#server/audit/audit.ts';
import type { Actor } from '#server/auth/sessions.ts';
import type { Db, Tx } from '#server/db/db.ts';
import { announce } from '#server/events/events.ts';
import { Refusal } from '#server/http/refusal.ts';
import {
  areSurelyTooMany,
  type Filter,
  insertReply,
  insertTicket,
  lockTicket,
  type Page,
  selectPage,
  selectPageNearby,
  selectPageOfFew,
  selectReplies,
  selectTicket,
  selectTotal,
  updateResponse,
  updateStatus,
} from './queries.ts';

type Asked = Filter & { sort?: TicketSort | undefined; cursor?: string | undefined; limit?: number | undefined };

export async function listTickets(db: Db, { status, search, sort, cursor, limit }: Asked) {
  const asked = { status, search, sort: sort ?? '-createdAt', cursor, limit: limit ?? rowsByDefault };
  const { page, total } = search === undefined ? await wholeList(db, asked) : await searchList(db, asked);
  const { rows, ...cursors } = page;
  return { tickets: rows, ...cursors, total };
}

async function wholeList(db: Db, asked: Page) {
  const count = await selectTotal(db, asked.status);
  return { page: await selectPage(db, asked), total: { count, capped: false } };
}

const tooMany = { count: countedAtMost, capped: true };

/** A common word is met on the way through the list, a rare one is looked up. Each would be slow the other way. */
async function searchList(db: Db, asked: Page) {
  const near = await selectPageNearby(db, asked);
  if (near && (await areSurelyTooMany(db, asked))) return { page: near, total: tooMany };

  const { count, page } = await selectPageOfFew(db, asked);
  if (count <= countedAtMost) return { page, total: { count, capped: false } };
  return { page: near ?? (await selectPage(db, asked)), total: tooMany };
}

export async function readTicket(db: Db, id: string) {
  const ticket = await selectTicket(db, id);
  if (!ticket) throw new Refusal('TicketNotFound');
  return { ticket, replies: await selectReplies(db, id) };
}

type Opening = { actor: Actor; type: string; description: string };

export async function createTicket(tx: Tx, { actor, type, description }: Opening) {
  const ticket = await insertTicket(tx, { type, description, username: actor.username, openedBy: actor.id });
  await announce(tx, { room: 'tickets', id: ticket.id });
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
  if (before.status === status) throw new Refusal('StatusUnchanged');

  const ticket = await updateStatus(tx, id, status);
  await announce(tx, { room: 'tickets', id });
  const details = { before: { status: before.status }, after: { status } };
  await recordAudit(tx, { actorId: actor.id, action: 'tickets.set-status', subjectId: id, details });
  return { ticket };
}

export async function replyToTicket(tx: Tx, { actor, id, message }: { actor: Actor; id: string; message: string }) {
  const before = await lockTicket(tx, id);
  if (!before) throw new Refusal('TicketNotFound');

  const reply = await insertReply(tx, { ticketId: id, sender: actor.username, senderId: actor.id, message });
  const status = before.status === 'open' ? 'in_progress' : before.status;
  const ticket = await updateResponse(tx, id, { response: message, status });
  await announce(tx, { room: 'tickets', id });
  const details = { reply: reply.id, before: { status: before.status }, after: { status } };
  await recordAudit(tx, { actorId: actor.id, action: 'tickets.reply', subjectId: id, details });
  return { ticket, reply };
}
