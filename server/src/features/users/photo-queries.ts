import { sql } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';

/** Returns the digest of the current photo. The caller must hold the lock of the user. */
export function selectDigest(tx: Tx, userId: string) {
  return tx.selectFrom('userPhoto').select('digest').where('userId', '=', userId).executeTakeFirst();
}

export function selectPhoto(db: Db, userId: string) {
  return db
    .selectFrom('platformUser')
    .leftJoin('userPhoto', 'userPhoto.userId', 'platformUser.id')
    .select('userPhoto.webp')
    .where('platformUser.id', '=', userId)
    .where('platformUser.retiredAt', 'is', null)
    .executeTakeFirst();
}

export async function writePhoto(tx: Tx, userId: string, photo: { webp: Buffer; digest: string }) {
  const taken = { ...photo, takenAt: sql<Date>`now()` };
  await tx
    .insertInto('userPhoto')
    .values({ userId, ...taken })
    .onConflict((existing) => existing.column('userId').doUpdateSet(taken))
    .execute();
  await tx.updateTable('platformUser').set({ updatedAt: taken.takenAt }).where('id', '=', userId).execute();
}
