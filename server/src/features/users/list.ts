import type { UserSort } from 'contract/users.ts';
import { Wallet } from 'contract/users.ts';
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '#server/core/db/db.ts';
import { type List, listPage, orderOf, partOf } from '#server/core/db/list.ts';
import { selectCount } from './counts.ts';

export type Filter = { search?: string | undefined; blacklisted?: 'yes' | undefined };
export type Query = Filter & { sort: UserSort; cursor: string | undefined; limit: number };

const orders = {
  createdAt: { column: 'created_at', type: 'timestamptz' },
  userId: { column: 'user_id', type: 'text' },
  username: { column: 'username', type: 'text' },
  role: { column: 'role', type: 'user_role' },
};

type ListedUser = {
  id: string;
  userId: string;
  username: string;
  role: 'User' | 'Admin';
  createdAt: Date;
  isBlacklisted: boolean;
};

export const selectPage = (db: Db, query: Query) => listPage<ListedUser>(db, userList(db, query));

export function userList(db: Db, { sort, cursor, limit, search, blacklisted }: Query): List {
  return {
    rows: sql`platform_user`,
    columns: sql`item.user_id as "userId", item.username, item.role, item.created_at as "createdAt",
      item.blacklisted_at is not null as "isBlacklisted"`,
    order: orderOf(sort, orders),
    where: [
      sql<boolean>`item.retired_at is null`,
      ...(blacklisted ? [sql<boolean>`item.blacklisted_at is not null`] : []),
    ],
    searchFilter: search === undefined ? undefined : searchFilter(search),
    countAll: () => selectCount(db, blacklisted ? 'blacklisted' : 'all'),
    cursor,
    limit,
  };
}

/** Matches any part of the search text, or a complete id or SOL wallet address, which administrators paste. */
function searchFilter(search: string) {
  const whole = wholeValues(search);
  const either = (part: RawBuilder<boolean>) => sql<boolean>`(${sql.join([part, ...whole], sql` or `)})`;
  return {
    indexLookup: either(sql`item.search_text like ${partOf(search)}`),
    scan: either(sql`strpos(item.search_text, lower(${search})) > 0`),
  };
}

function wholeValues(search: string): RawBuilder<boolean>[] {
  if (z.uuid().safeParse(search).success) return [sql`item.id = ${search}`];
  if (Wallet.safeParse(search).success) return [sql`item.sol_wallet_address = ${search}`];
  return [];
}
