import { Finding } from 'contract/audit-verification.ts';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Db, Tx } from '#server/core/db/db.ts';

/** Returns undefined if a verification is waiting or running already. */
export function insertVerification(tx: Tx, requestedBy: string | null) {
  const rowsTotal = sql<bigint>`(select coalesce(max(seq), 0) from audit_entry)`;
  return tx
    .insertInto('auditVerification')
    .values({ requestedBy, rowsTotal })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
}

/** Starts from the first row again, also after a process died that had started it. Returns undefined if it has ended. */
export function startVerification(tx: Tx, id: string) {
  return tx
    .updateTable('auditVerification')
    .set({ state: 'running', rowsDone: 0n })
    .where('id', '=', id)
    .where('endedAt', 'is', null)
    .returning('id')
    .executeTakeFirst();
}

export function updateProgress(tx: Tx, id: string, rowsDone: bigint) {
  return tx.updateTable('auditVerification').set({ rowsDone }).where('id', '=', id).execute();
}

type Ended = { state: 'done'; rowsDone: bigint; findings: Finding[] } | { state: 'failed' };

export function endVerification(tx: Tx, id: string, ended: Ended) {
  const result =
    ended.state === 'done'
      ? { rowsDone: ended.rowsDone, findings: JSON.stringify(z.encode(z.array(Finding), ended.findings)) }
      : {};
  return tx
    .updateTable('auditVerification')
    .set({ state: ended.state, ...result, endedAt: sql`now()` })
    .where('id', '=', id)
    .execute();
}

const verifications = (db: Db) =>
  db
    .selectFrom('auditVerification as item')
    .leftJoin('admin', 'admin.id', 'item.requestedBy')
    .select([
      'item.id',
      'admin.username as requestedBy',
      'item.state',
      'item.rowsDone',
      'item.rowsTotal',
      'item.findings',
      'item.createdAt',
      'item.endedAt',
    ]);

export const selectCurrent = (db: Db) => verifications(db).where('item.endedAt', 'is', null).executeTakeFirst();

export const selectLastEnded = (db: Db) =>
  verifications(db).where('item.endedAt', 'is not', null).orderBy('item.endedAt', 'desc').limit(1).executeTakeFirst();
