import type { Asset } from 'contract/money.ts';
import { sql } from 'kysely';
import type { Tx } from '#server/db/db.ts';

export type Adjustment = { id: string; userId: string; username: string; asset: Asset; units: bigint; reason: string };

type New = Omit<Adjustment, 'id' | 'username'> & { madeBy: string };

/** Held until the adjustment is written: whoever deletes the user meanwhile waits for it. */
export function lockPerson(tx: Tx, id: string) {
  const one = tx.selectFrom('platformUser').select('username').where('id', '=', id).where('retiredAt', 'is', null);
  return one.forShare().executeTakeFirst();
}

export async function insertAdjustment(tx: Tx, adjustment: New) {
  return (await tx.insertInto('adjustment').values(adjustment).returning('id').executeTakeFirstOrThrow()).id;
}

/** One that is still to be posted. */
export function lockAdjustment(tx: Tx, id: string): Promise<Adjustment | undefined> {
  return tx
    .selectFrom('adjustment')
    .innerJoin('platformUser', 'platformUser.id', 'adjustment.userId')
    .select(['adjustment.id', 'adjustment.userId', 'username', 'asset', 'units', 'reason'])
    .where('adjustment.id', '=', id)
    .where('postedAt', 'is', null)
    .forUpdate('adjustment')
    .executeTakeFirst();
}

export async function markPosted(tx: Tx, id: string) {
  await tx.updateTable('adjustment').set({ postedAt: sql`now()` }).where('id', '=', id).execute();
}
