import {
  type MessageItem,
  messageItemRefusals,
  type TicketItem,
  ticketItemRefusals,
} from 'contract/tickets-inbound.ts';
import { selectNow, type Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { decideItems, isPast, refuseUser } from '#server/core/inbound/inbound.ts';
import { selectUsers } from '#server/core/inbound/queries.ts';
import { platformId } from '#server/core/platform-id.ts';
import {
  insertSentMessages,
  insertSentTickets,
  lockTicketsOfUsers,
  resumeAwaiting,
  selectSentMessages,
  selectSentTickets,
  type SentMessage,
  type SentTicket,
} from './inbound-queries.ts';

const fits = (text: string, longest: number) => text.length > 0 && text.length <= longest;

/** Adds tickets that users open. A ticket shows the name of its user, so that is what it stores. */
export async function storeTickets(tx: Tx, items: readonly TicketItem[]) {
  const users = await selectUsers(
    tx,
    items.map(({ user }) => user),
  );
  const ids = new Map(items.map(({ id }) => [platformId('ticket', id), id]));
  const stored = await selectSentTickets(tx, [...ids.keys()]);
  const now = await selectNow(tx);
  const rowOf = ({ id, user, type, description, at }: TicketItem): SentTicket => ({
    id: platformId('ticket', id),
    username: users.get(user)?.username ?? '',
    type,
    description,
    at,
  });
  const { added, results } = decideItems({
    items,
    texts: ticketItemRefusals,
    stored: new Map(stored.map((row) => [ids.get(row.id) ?? '', contentOfTicket(row)])),
    contentOf: (item) => contentOfTicket(rowOf(item)),
    refuse: ({ user, type, description, at }) => {
      if (!fits(type, 200) || !fits(description, 5_000)) return 'TextInvalid';
      return isPast(at, now) ? refuseUser(users.get(user)) : 'TimeInvalid';
    },
  });
  if (added.length === 0) return { results };
  await insertSentTickets(
    tx,
    added.map((item) => ({ ...rowOf(item), platformId: item.id })),
  );
  await announce(tx, { feature: 'tickets', id: 'inbound' });
  return { results };
}

const contentOfTicket = ({ username, type, description, at }: SentTicket) =>
  JSON.stringify([username, type, description, at]);

/** Adds messages of users to their tickets. */
export async function storeMessages(tx: Tx, items: readonly MessageItem[]) {
  const rowOf = ({ id, ticket, message, at }: MessageItem): SentMessage => ({
    id: platformId('ticket-message', id),
    ticketId: platformId('ticket', ticket),
    message,
    at,
  });
  const writers = await lockTicketsOfUsers(
    tx,
    items.map((item) => rowOf(item).ticketId),
  );
  const ids = new Map(items.map((item) => [rowOf(item).id, item.id]));
  const stored = await selectSentMessages(tx, [...ids.keys()]);
  const now = await selectNow(tx);
  const { added, results } = decideItems({
    items,
    texts: messageItemRefusals,
    stored: new Map(stored.map((row) => [ids.get(row.id) ?? '', contentOfMessage(row)])),
    contentOf: (item) => contentOfMessage(rowOf(item)),
    refuse: (item) => {
      if (!fits(item.message, 5_000)) return 'TextInvalid';
      if (!isPast(item.at, now)) return 'TimeInvalid';
      return writers.has(rowOf(item).ticketId) ? undefined : 'TicketUnknown';
    },
  });
  if (added.length === 0) return { results };
  const rows = added.map(rowOf);
  await insertSentMessages(
    tx,
    rows.map((row) => ({ ...row, sender: writers.get(row.ticketId) ?? '' })),
  );
  await resumeAwaiting(
    tx,
    rows.map(({ ticketId }) => ticketId),
  );
  await announce(tx, { feature: 'tickets', id: 'inbound' });
  return { results };
}

const contentOfMessage = ({ ticketId, message, at }: SentMessage) => JSON.stringify([ticketId, message, at]);
