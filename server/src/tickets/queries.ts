import type { TicketSort, TicketStatus } from 'contract/tickets.ts';
import { countedAtMost } from 'contract/paging.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#server/db/db.ts';
import { beyond, cutPage, type Order, readPlace } from '#server/db/keyset.ts';

const columns = ['id', 'type', 'description', 'username', 'status', 'createdAt', 'response'] as const;
const replyColumns = ['id', 'sender', 'message', 'createdAt'] as const;

export type Filter = { status?: TicketStatus | undefined; search?: string | undefined };
export type Page = Filter & { sort: TicketSort; cursor: string | undefined; limit: number };

const typeOf = { createdAt: 'timestamptz', type: 'text', username: 'text', status: 'ticket_status' } as const;

function orderOf(sort: TicketSort) {
  const column = sort.replace('-', '') as keyof typeof typeOf;
  return { sort, column, type: typeOf[column], descending: sort.startsWith('-') } satisfies Order;
}

function standingAt({ sort, cursor }: Pick<Page, 'sort' | 'cursor'>) {
  const order = orderOf(sort);
  const place = readPlace(cursor, order);
  const { where, order: inOrder, value } = beyond(order, place);
  return { order, place, where, inOrder, value };
}

/** A list without a search is a short walk along the index of its order, at any size. */
export async function selectPage(db: Db, { sort, cursor, limit, ...filter }: Page) {
  const { order, place, where, inOrder, value } = standingAt({ sort, cursor });
  const rows = await db
    .selectFrom('ticket')
    .select([...columns, value.as('placeValue')])
    .where(where)
    .where(matches(filter, 'walk'))
    .orderBy(inOrder)
    .limit(limit + 1)
    .execute();
  return cutPage(rows, { order, place, limit });
}

/** So many rows of the list are read for each row of the page before another way is taken. */
const nearby = 20;

/** The page, if a word is so common that the next rows of the list fill it. */
export async function selectPageNearby(db: Db, { sort, cursor, limit, status, search }: Page) {
  const { order, place, where, inOrder, value } = standingAt({ sort, cursor });
  const rows = await db
    .selectFrom((next) =>
      next
        .selectFrom('ticket')
        .select([...columns, 'searchText', value.as('placeValue')])
        .where(where)
        .where(matches({ status }, 'walk'))
        .orderBy(inOrder)
        .limit(nearby * limit)
        .as('near'),
    )
    .select([...columns, 'placeValue'])
    .where(matches({ search }, 'walk'))
    .orderBy(inOrder)
    .limit(limit + 1)
    .execute();
  return rows.length > limit ? cutPage(rows, { order, place, limit }) : undefined;
}

/** All matches are looked up, once: they are counted, and only they are sorted. Beyond the limit the page is not the right one. */
export async function selectPageOfFew(db: Db, { sort, cursor, limit, ...filter }: Page) {
  const { order, place, where, inOrder, value } = standingAt({ sort, cursor });
  const rows = await db
    .with(
      (cte) => cte('candidate').materialized(),
      (found) => candidatesOf(found, filter).select(order.column),
    )
    .selectFrom('ticket')
    .select((from) => [
      ...columns,
      value.as('placeValue'),
      from.selectFrom('candidate').select(countedRows).as('count'),
    ])
    .where('id', 'in', (from) =>
      from
        .selectFrom('candidate')
        .select('id')
        .where(where)
        .orderBy(inOrder)
        .limit(limit + 1),
    )
    .orderBy(inOrder)
    .execute();
  const count = rows[0] ? Number(rows[0].count) : await countMatches(db, filter);
  return { count, page: cutPage(rows, { order, place, limit }) };
}

const countedRows = sql<bigint>`count(*)`.as('count');

/** One past the limit says that there are more: reading on would cost more than anyone learns from it. */
function candidatesOf(db: Pick<Db, 'selectFrom'>, filter: Filter) {
  return db
    .selectFrom('ticket')
    .select('id')
    .where(matches(filter, 'lookup'))
    .limit(countedAtMost + 1);
}

async function countMatches(db: Db, filter: Filter) {
  const { count } = await db
    .selectFrom(candidatesOf(db, filter).as('candidate'))
    .select(countedRows)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The planner's sample is small: only a word in many of its rows, and of several times the limit, leaves no doubt. */
const beyondDoubt = { share: 0.1, times: 3 };

/** More than are ever counted, without reading them: to find one past the limit takes tens of thousands of rows. */
export async function areSurelyTooMany(db: Db, filter: Filter) {
  const enough = beyondDoubt.times * countedAtMost;
  const all = await selectTotal(db, filter.status);
  if (all < enough) return false;
  const plan = await sql<Record<string, string>>`
    explain select from ticket where ${matches(filter, 'lookup')}`.execute(db);
  const [whole = ''] = Object.values(plan.rows[0] ?? {});
  const estimated = Number(/ rows=(?<rows>\d+)/.exec(whole)?.groups?.['rows'] ?? 0);
  return estimated >= Math.max(enough, beyondDoubt.share * all);
}

/**
 * For a common word the trigram index is slower than walking the list until the page is full, and the
 * planner cannot know; so `walk` writes the same condition in a form that this index does not serve.
 */
function matches({ status, search }: Filter, way: 'lookup' | 'walk') {
  const pattern = search?.replaceAll(/[\\%_]/g, '\\$&');
  const contains =
    way === 'lookup'
      ? sql`search_text like '%' || lower(${pattern}) || '%'`
      : sql`strpos(search_text, lower(${search})) > 0`;
  const conditions = [...(status ? [sql`status = ${status}`] : []), ...(search ? [contains] : [])];
  return conditions.length > 0 ? sql<boolean>`${sql.join(conditions, sql` and `)}` : sql<boolean>`true`;
}

export async function selectTotal(db: Db, status: TicketStatus | undefined) {
  const counted = db.selectFrom('ticketCount').select(sql<bigint>`coalesce(sum(delta), 0)::bigint`.as('count'));
  const { count } = await (status ? counted.where('status', '=', status) : counted).executeTakeFirstOrThrow();
  return Number(count);
}

export function selectTicket(db: Db, id: string) {
  return db.selectFrom('ticket').select(columns).where('id', '=', id).executeTakeFirst();
}

/** Two who act on the same ticket queue up here; the second then sees what the first did. */
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

/** Many small rows become one for each status. What is added meanwhile is not seen, and so not lost. */
export function foldCounts(tx: Tx) {
  return sql`
    with folded as (delete from ticket_count returning status, delta)
    insert into ticket_count (status, delta) select status, sum(delta) from folded group by status
  `.execute(tx);
}
