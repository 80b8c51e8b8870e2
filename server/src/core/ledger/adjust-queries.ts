import type { Account } from 'contract/ledger.ts';
import type { Asset } from 'contract/core/money.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';

export type Adjustment = {
  id: string;
  /** The user whose account is adjusted; null for the treasury. */
  user: { id: string; username: string } | null;
  asset: Asset;
  units: bigint;
  /** The account that is adjusted. */
  account: Account;
  /** The account that pays a positive adjustment and gets a negative one. */
  otherAccount: Account;
  reason: string;
};

/** Locks a user who is not deleted, so that a concurrent deletion waits for the adjustment. */
export function lockUser(tx: Tx, id: string) {
  const one = tx
    .selectFrom('platformUser')
    .select(['id', 'username'])
    .where('id', '=', id)
    .where('retiredAt', 'is', null);
  return one.forShare().executeTakeFirst();
}

/** Returns false if an adjustment with this id exists. */
export async function insertAdjustment(tx: Tx, { user, ...row }: Adjustment, madeBy: string) {
  const inserting = tx.insertInto('adjustment').values({ ...row, userId: user?.id ?? null, madeBy });
  const { numInsertedOrUpdatedRows } = await inserting.onConflict((it) => it.doNothing()).executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

export function selectAdjustment(db: Db, id: string) {
  return db
    .selectFrom('adjustment')
    .innerJoin('admin', 'admin.id', 'madeBy')
    .select(['userId', 'asset', 'units', 'account', 'reason', 'madeBy', 'postedAt', 'admin.username as by'])
    .where('adjustment.id', '=', id)
    .executeTakeFirst();
}

/** Locks an adjustment that is not posted yet, of the treasury or of a user who is not deleted. */
export async function lockAdjustment(tx: Tx, id: string): Promise<Adjustment | undefined> {
  const row = await tx
    .selectFrom('adjustment')
    .leftJoin('platformUser', 'platformUser.id', 'adjustment.userId')
    .select(['adjustment.id', 'adjustment.userId', 'username', 'asset', 'units', 'account', 'otherAccount', 'reason'])
    .where('adjustment.id', '=', id)
    .where('postedAt', 'is', null)
    .where('retiredAt', 'is', null)
    .forUpdate('adjustment')
    .executeTakeFirst();
  if (!row) return undefined;
  const { userId, username, ...rest } = row;
  return { ...rest, user: userId === null || username === null ? null : { id: userId, username } };
}

export async function markPosted(tx: Tx, id: string) {
  await tx.updateTable('adjustment').set({ postedAt: sql`now()` }).where('id', '=', id).execute();
}
