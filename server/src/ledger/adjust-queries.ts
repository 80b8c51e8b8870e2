import type { Asset } from 'contract/money.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#server/db/db.ts';

export type Adjustment = { id: string; userId: string; username: string; asset: Asset; units: bigint; reason: string };

/** Held until the adjustment is written: whoever deletes the user meanwhile waits for it. */
export function lockPerson(tx: Tx, id: string) {
  const one = tx.selectFrom('platformUser').select('username').where('id', '=', id).where('retiredAt', 'is', null);
  return one.forShare().executeTakeFirst();
}

/** False where there is one of this id already. */
export async function insertAdjustment(tx: Tx, { username: _username, ...row }: Adjustment, madeBy: string) {
  const inserting = tx.insertInto('adjustment').values({ ...row, madeBy });
  const { numInsertedOrUpdatedRows } = await inserting.onConflict((it) => it.doNothing()).executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

export function selectAdjustment(db: Db, id: string) {
  return db
    .selectFrom('adjustment')
    .innerJoin('admin', 'admin.id', 'madeBy')
    .select(['userId', 'asset', 'units', 'reason', 'madeBy', 'postedAt', 'admin.username as by'])
    .where('adjustment.id', '=', id)
    .executeTakeFirst();
}

/** In dollars, since midnight UTC, given and taken together. */
export async function selectAdjustedAloneToday(tx: Tx, adminId: string) {
  const { rows } = await sql<{ units: bigint }>`
    select coalesce(sum(abs(item.units)), 0)::bigint as units from adjustment as item
    where item.made_by = ${adminId}::uuid and item.made_at >= date_trunc('day', now(), 'UTC')
      and item.asset = 'USD' and item.posted_at is not null
      and not exists (select from approval where kind = 'adjustment' and subject_id = item.id)`.execute(tx);
  return rows[0]?.units ?? 0n;
}

/** One that is still to be posted, for somebody who is still there. */
export function lockAdjustment(tx: Tx, id: string): Promise<Adjustment | undefined> {
  return tx
    .selectFrom('adjustment')
    .innerJoin('platformUser', 'platformUser.id', 'adjustment.userId')
    .select(['adjustment.id', 'adjustment.userId', 'username', 'asset', 'units', 'reason'])
    .where('adjustment.id', '=', id)
    .where('postedAt', 'is', null)
    .where('retiredAt', 'is', null)
    .forUpdate('adjustment')
    .executeTakeFirst();
}

export async function markPosted(tx: Tx, id: string) {
  await tx.updateTable('adjustment').set({ postedAt: sql`now()` }).where('id', '=', id).execute();
}
