import { sql } from 'kysely';
import { type Db, runQuery } from '#server/core/db/db.ts';

export type KnownUser = { id: string; username: string; isDeleted: boolean };

/** Returns the users with these user numbers. */
export async function selectUsers(db: Db, userNumbers: readonly string[]) {
  const found = await runQuery<KnownUser & { userNumber: string }>(
    db,
    sql`select user_id as "userNumber", id, username, retired_at is not null as "isDeleted"
      from platform_user where user_id = any(${[...new Set(userNumbers)]}::text[])`,
  );
  return new Map(found.map(({ userNumber, ...user }) => [userNumber, user]));
}
