import { sql } from 'kysely';
import type { Db } from './db.ts';
import { type List, orderOf, partOf } from './list.ts';

/** What belongs to a user and has a status. Its counter is the table of the same name with `_count`. */
type Owned = 'stake' | 'task' | 'withdrawal';

type Narrowing<Status> = { status?: Status | undefined; user?: string | undefined };
type SearchFilter = NonNullable<List['searchFilter']>;

export type ListQuery<Status, Sort> = Narrowing<Status> & {
  search?: string | undefined;
  sort: Sort;
  cursor: string | undefined;
  limit: number;
};

/** The parameters of a list as a client sends them; the feature fills in the defaults. */
export type ListParams<Status, Sort> = Narrowing<Status> & {
  search?: string | undefined;
  sort?: Sort | undefined;
  cursor?: string | undefined;
  limit?: number | undefined;
};

type About<Order extends string> = Pick<List, 'columns' | 'joins'> & {
  table: Owned;
  orders: Record<Order, { column: string; type: string }>;
  searchFilter: (search: string) => SearchFilter;
};

export function userOwnedList<Order extends string>(
  db: Db,
  { table, orders, searchFilter, ...answered }: About<Order>,
  { sort, cursor, limit, search, ...narrowing }: ListQuery<string, Order | `-${Order}`>,
): List {
  return {
    ...answered,
    rows: sql.table(table),
    order: orderOf(sort, orders),
    where: narrowed(narrowing),
    searchFilter: search === undefined ? undefined : searchFilter(search),
    countAll: () => countAll(db, table, narrowing),
    cursor,
    limit,
  };
}

/** The status is written out: a plan that is kept for any status would be a bad one for a rare status. */
function narrowed({ status, user }: Narrowing<string>) {
  return [
    ...(status ? [sql<boolean>`item.status = ${sql.lit(status)}`] : []),
    ...(user === undefined ? [] : [sql<boolean>`item.user_id = ${user}::uuid`]),
  ];
}

/** Nobody has so many that theirs could not be counted. */
async function countAll(db: Db, table: Owned, narrowing: Narrowing<string>) {
  const counted =
    narrowing.user === undefined
      ? sql`select coalesce(sum(item.delta), 0)::bigint as count from ${sql.table(`${table}_count`)} as item`
      : sql`select count(*) from ${sql.table(table)} as item`;
  const conditions = sql.join([sql`true`, ...narrowed(narrowing)], sql` and `);
  const { rows } = await sql<{ count: bigint }>`${counted} where ${conditions}`.execute(db);
  return Number(rows[0]?.count ?? 0n);
}

/** How many there are of each status, and what they amount to. */
export async function figuresOf<Status>(db: Db, table: 'stake' | 'withdrawal') {
  const { rows } = await sql<{ status: Status; count: bigint; amount: bigint }>`
    select status, sum(delta)::bigint as count, sum(amount_usd)::bigint as amount
    from ${sql.table(`${table}_count`)} group by status`.execute(db);
  return rows.map(({ status, count, amount }) => ({ status, count: Number(count), amount }));
}

/** By any part of the user's name, number, wallet or referral code. */
export function searchByUser(search: string): SearchFilter {
  const user = (matches: SearchFilter['scan']) => sql`(select platform_user.id from platform_user where ${matches})`;
  return {
    indexLookup: sql`item.user_id in ${user(sql`platform_user.search_text like ${partOf(search)}`)}`,
    scan: sql`exists ${user(sql`platform_user.id = item.user_id and strpos(platform_user.search_text, lower(${search})) > 0`)}`,
  };
}
