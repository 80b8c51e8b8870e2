import type { Theme } from 'contract/settings.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';

const columns = ['fullName', 'email', sql<Theme>`theme`.as('theme'), 'notifications', 'version', 'updatedAt'] as const;

export function selectSettings(db: Db, adminId: string) {
  return db.selectFrom('adminSettings').select(columns).where('adminId', '=', adminId).executeTakeFirst();
}

/** Locks the settings, so that concurrent saves run one after the other. */
export function lockSettings(tx: Tx, adminId: string) {
  return tx.selectFrom('adminSettings').select(columns).where('adminId', '=', adminId).forUpdate().executeTakeFirst();
}

export type Chosen = { fullName: string; email: string; theme: Theme; notifications: boolean };

/** Inserts the first settings. Returns no row if a concurrent save has already inserted them. */
export function insertSettings(tx: Tx, adminId: string, chosen: Chosen) {
  return tx
    .insertInto('adminSettings')
    .values({ adminId, ...chosen })
    .onConflict((conflict) => conflict.column('adminId').doNothing())
    .returning(columns)
    .executeTakeFirst();
}

export function updateSettings(tx: Tx, adminId: string, chosen: Chosen) {
  return tx
    .updateTable('adminSettings')
    .set({ ...chosen, version: sql`version + 1`, updatedAt: sql`now()` })
    .where('adminId', '=', adminId)
    .returning(columns)
    .executeTakeFirstOrThrow();
}
