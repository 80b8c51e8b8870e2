import type { Insertable } from 'kysely';
import type { Database } from '#server/core/db/db.ts';
import type { DB } from '#server/core/db/schema.gen.ts';

let people = 0;

/** Somebody on the platform, alike to nobody else. */
export async function addPerson(owner: Database, chosen: Partial<Insertable<DB['platformUser']>> = {}) {
  people += 1;
  const username = chosen.username ?? `person.${people}`;
  const values = {
    userId: `P-${people}`,
    username,
    wallet: `wallet-of-${username}`,
    solWalletAddress: `sol-of-${username}`,
    referralCode: `CODE${people}`,
    ...chosen,
  };
  const returned = await owner
    .transaction()
    .execute((tx) => tx.insertInto('platformUser').values(values).returning(['id', 'userId', 'username']).execute());
  const [person] = returned;
  if (!person) throw new Error(`${username} was not added.`);
  return person;
}
