import type { Insertable } from 'kysely';
import type { Database } from '#server/core/db/db.ts';
import type { DB } from '#server/core/db/schema.gen.ts';

let users = 0;

/** Adds a user whose names and codes are unique. */
export async function addUser(owner: Database, chosen: Partial<Insertable<DB['platformUser']>> = {}) {
  users += 1;
  const username = chosen.username ?? `user.${users}`;
  const values = {
    userId: `P-${users}`,
    username,
    wallet: `wallet-of-${username}`,
    solWalletAddress: `sol-of-${username}`,
    referralCode: `CODE${users}`,
    ...chosen,
  };
  const returned = await owner
    .transaction()
    .execute((tx) => tx.insertInto('platformUser').values(values).returning(['id', 'userId', 'username']).execute());
  const [user] = returned;
  if (!user) throw new Error(`${username} was not added.`);
  return user;
}
