import { sql } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';

export function selectTotp(db: Db, adminId: string) {
  return db
    .selectFrom('totpFactor')
    .select(['sealed', 'confirmedAt'])
    .where('adminId', '=', adminId)
    .executeTakeFirst();
}

/** Stores a secret that is not confirmed yet, in place of an earlier one that never was. */
export function upsertUnconfirmedTotp(tx: Tx, adminId: string, sealed: Buffer) {
  return tx
    .insertInto('totpFactor')
    .values({ adminId, sealed })
    .onConflict((conflict) =>
      conflict.column('adminId').doUpdateSet({ sealed, lastStep: 0n }).where('totpFactor.confirmedAt', 'is', null),
    )
    .returning('adminId')
    .executeTakeFirst();
}

export function confirmTotp(tx: Tx, adminId: string) {
  return tx.updateTable('totpFactor').set({ confirmedAt: sql`now()` }).where('adminId', '=', adminId).execute();
}

/** Accepts a step, unless it or a later one was accepted before. Concurrent calls wait for each other. */
export async function acceptStep(tx: Tx, adminId: string, step: number) {
  const { numUpdatedRows } = await tx
    .updateTable('totpFactor')
    .set({ lastStep: BigInt(step) })
    .where('adminId', '=', adminId)
    .where('lastStep', '<', BigInt(step))
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

export function deleteTotp(tx: Tx, adminId: string) {
  return tx.deleteFrom('totpFactor').where('adminId', '=', adminId).execute();
}

export async function countRecoveryCodes(db: Db, adminId: string) {
  const { count } = await db
    .selectFrom('recoveryCode')
    .select((select) => select.fn.countAll<bigint>().as('count'))
    .where('adminId', '=', adminId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

type SealedCode = { id: string; adminId: string; sealed: Buffer };

export async function replaceRecoveryCodes(tx: Tx, adminId: string, codes: readonly SealedCode[]) {
  await tx.deleteFrom('recoveryCode').where('adminId', '=', adminId).execute();
  if (codes.length > 0) await tx.insertInto('recoveryCode').values(codes).execute();
}

export function selectRecoveryCodes(tx: Tx, adminId: string) {
  return tx.selectFrom('recoveryCode').select(['id', 'sealed']).where('adminId', '=', adminId).execute();
}

/** Returns whether there still was such a code. */
export async function deleteRecoveryCode(tx: Tx, id: string) {
  const { numDeletedRows } = await tx.deleteFrom('recoveryCode').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows === 1n;
}
