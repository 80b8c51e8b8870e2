import { sql } from 'kysely';
import type { Db } from './db.ts';
import { type List, orderOf, partOf } from './list.ts';

/** Tables of rows that belong to a user and have a status. The counter is the table with the suffix `_count`. */
type OwnedTable = 'stake' | 'task' | 'withdrawal';

type Filter<Status> = { status?: Status | undefined; user?: string | undefined };
type SearchFilter = NonNullable<List['searchFilter']>;

export type ListQuery<Status, Sort> = Filter<Status> & {
  search?: string | undefined;
  sort: Sort;
  cursor: string | undefined;
  limit: number;
};

/** The parameters of a list as a client sends them; the feature fills in the defaults. */
export type ListParams<Status, Sort> = Filter<Status> & {
  search?: string | undefined;
  sort?: Sort | undefined;
  cursor?: string | undefined;
  limit?: number | undefined;
};

type ListDefinition<Order extends string> = Pick<List, 'columns' | 'joins'> & {
  table: OwnedTable;
  orders: Record<Order, { column: string; type: string }>;
  searchFilter: (search: string) => SearchFilter;
};

export function userOwnedList<Order extends string>(
  db: Db,
  { table, orders, searchFilter, ...selection }: ListDefinition<Order>,
  { sort, cursor, limit, search, ...filter }: ListQuery<string, Order | `-${Order}`>,
): List {
  return {
    ...selection,
    rows: sql.table(table),
    order: orderOf(sort, orders),
    where: conditionsOf(filter),
    searchFilter: search === undefined ? undefined : searchFilter(search),
    countAll: () => countAll(db, table, filter),
    cursor,
    limit,
  };
}

/** The status is a literal: a cached plan for any status would be bad for a rare one. */
function conditionsOf({ status, user }: Filter<string>) {
  return [
    ...(status ? [sql<boolean>`item.status = ${sql.lit(status)}`] : []),
    ...(user === undefined ? [] : [sql<boolean>`item.user_id = ${user}::uuid`]),
  ];
}

/** The rows of one user are few enough to be counted; all others come from the counter. */
async function countAll(db: Db, table: OwnedTable, filter: Filter<string>) {
  const counted =
    filter.user === undefined
      ? sql`select coalesce(sum(item.delta), 0)::bigint as count from ${sql.table(`${table}_count`)} as item`
      : sql`select count(*) from ${sql.table(table)} as item`;
  const conditions = sql.join([sql`true`, ...conditionsOf(filter)], sql` and `);
  const { rows } = await sql<{ count: bigint }>`${counted} where ${conditions}`.execute(db);
  return Number(rows[0]?.count ?? 0n);
}

/** Returns the number of rows and the total amount of each status. */
export async function figuresOf<Status>(db: Db, table: 'stake' | 'withdrawal') {
  const { rows } = await sql<{ status: Status; count: bigint; amount: bigint }>`
    select status, sum(delta)::bigint as count, sum(amount_usd)::bigint as amount
    from ${sql.table(`${table}_count`)} group by status`.execute(db);
  return rows.map(({ status, count, amount }) => ({ status, count: Number(count), amount }));
}

/** Matches any part of the user's name, number, wallet or referral code. */
export function searchByUser(search: string): SearchFilter {
  const user = (matches: SearchFilter['scan']) => sql`(select platform_user.id from platform_user where ${matches})`;
  return {
    indexLookup: sql`item.user_id in ${user(sql`platform_user.search_text like ${partOf(search)}`)}`,
    scan: sql`exists ${user(sql`platform_user.id = item.user_id and strpos(platform_user.search_text, lower(${search})) > 0`)}`,
  };
}
