import type { TicketSort, TicketStatus } from 'contract/tickets.ts';
import { type Selectable, sql } from 'kysely';
import { type Db, statement, type Tx } from '#server/core/db/db.ts';
import { type List, listPage, orderOf, partOf } from '#server/core/db/list.ts';
import type { DB } from '#server/core/db/schema.gen.ts';

const columns = ['id', 'type', 'description', 'username', 'status', 'createdAt', 'response'] as const;
const replyColumns = ['id', 'sender', 'message', 'createdAt'] as const;

export type Filter = { status?: TicketStatus | undefined; user?: string | undefined; search?: string | undefined };
export type Query = Filter & { sort: TicketSort; cursor: string | undefined; limit: number };

const orders = {
  createdAt: { column: 'created_at', type: 'timestamptz' },
  type: { column: 'type', type: 'text' },
  username: { column: 'username', type: 'text' },
  status: { column: 'status', type: 'ticket_status' },
};

type ListedTicket = Pick<Selectable<DB['ticket']>, (typeof columns)[number]>;

export const selectPage = (db: Db, query: Query) => listPage<ListedTicket>(db, ticketList(db, query));

export function ticketList(db: Db, { sort, cursor, limit, search, ...filter }: Query): List {
  return {
    rows: sql`ticket`,
    columns: sql`item.type, item.description, item.username, item.status, item.created_at as "createdAt",
      item.response`,
    order: orderOf(sort, orders),
    where: narrowed(filter),
    searchFilter: search === undefined ? undefined : searchFilter(search),
    countAll: () => countAll(db, filter),
    cursor,
    limit,
  };
}

/** A ticket stores only a username, which can pass to another user or also be the name of an administrator. */
function narrowed({ status, user }: Omit<Filter, 'search'>) {
  const writer = (column: 'username' | 'created_at') =>
    sql`(select ${sql.ref(`writer.${column}`)} from platform_user as writer where writer.id = ${user}::uuid)`;
  return [
    ...(status ? [sql<boolean>`item.status = ${status}`] : []),
    ...(user === undefined
      ? []
      : [
          sql<boolean>`item.username = ${writer('username')}`,
          sql<boolean>`item.opened_by is null and item.created_at >= ${writer('created_at')}`,
        ]),
  ];
}

const searchFilter = (search: string) => ({
  indexLookup: sql<boolean>`item.search_text like ${partOf(search)}`,
  scan: sql<boolean>`strpos(item.search_text, lower(${search})) > 0`,
});

/** Reads the counters, or counts the tickets of one user directly, because those are few. */
async function countAll(db: Db, filter: Omit<Filter, 'search'>) {
  if (filter.user === undefined) return selectTotal(db, filter.status);
  const { rows } = await sql<{ count: bigint }>`
    select count(*) from ticket as item where ${sql.join(narrowed(filter), sql` and `)}`.execute(db);
  return Number(rows[0]?.count ?? 0n);
}

const countedTickets = statement<{ count: bigint }>(
  'select coalesce(sum(delta), 0)::bigint as count from ticket_count where $1::ticket_status is null or status = $1',
);

export async function selectTotal(db: Db, status: TicketStatus | undefined) {
  return Number((await countedTickets(db, status ?? null))[0]?.count ?? 0n);
}

export function selectTicket(db: Db, id: string) {
  return db.selectFrom('ticket').select(columns).where('id', '=', id).executeTakeFirst();
}

/** Returns the platform's own id of a ticket. Null if the platform did not send it. */
export async function selectPlatformId(db: Db, id: string) {
  const found = await db.selectFrom('ticket').select('platformId').where('id', '=', id).executeTakeFirst();
  return found?.platformId ?? null;
}

/**
 * Returns the user who wrote a ticket, or null. The comparison of lowercase names uses their index. A user who joined
 * under the same name after the ticket was created is not its writer.
 */
export async function selectWriter(db: Db, id: string) {
  const { rows } = await sql<{ id: string }>`
    select writer.id from ticket
    join platform_user as writer on lower(writer.username) = lower(ticket.username) and writer.retired_at is null
    where ticket.id = ${id}::uuid and ticket.opened_by is null
      and writer.username = ticket.username and writer.created_at <= ticket.created_at`.execute(db);
  return rows[0]?.id ?? null;
}

/** Locks the ticket, so that concurrent actions on it run one after the other. */
export function lockTicket(tx: Tx, id: string) {
  return tx.selectFrom('ticket').select(columns).where('id', '=', id).forUpdate().executeTakeFirst();
}

const repliesShown = 500;

export async function selectReplies(db: Db, ticketId: string) {
  const newest = db.selectFrom('ticketReply').select(replyColumns).where('ticketId', '=', ticketId);
  return (await newest.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(repliesShown).execute()).reverse();
}

type NewTicket = { type: string; description: string; username: string; openedBy: string };

export function insertTicket(tx: Tx, ticket: NewTicket) {
  return tx.insertInto('ticket').values(ticket).returning(columns).executeTakeFirstOrThrow();
}

export function updateStatus(tx: Tx, id: string, status: TicketStatus) {
  return tx.updateTable('ticket').set({ status }).where('id', '=', id).returning(columns).executeTakeFirstOrThrow();
}

export function updateResponse(tx: Tx, id: string, change: { response: string; status: TicketStatus }) {
  return tx.updateTable('ticket').set(change).where('id', '=', id).returning(columns).executeTakeFirstOrThrow();
}

export function insertReply(tx: Tx, reply: { ticketId: string; sender: string; senderId: string; message: string }) {
  return tx.insertInto('ticketReply').values(reply).returning(replyColumns).executeTakeFirstOrThrow();
}

/** Merges the rows into one per status. Rows added concurrently are not visible here, so none is lost. */
export function foldCounts(tx: Tx) {
  return sql`
    with folded as (delete from ticket_count returning status, delta)
    insert into ticket_count (status, delta) select status, sum(delta) from folded group by status
  `.execute(tx);
}
