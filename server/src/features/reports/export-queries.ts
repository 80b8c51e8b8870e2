import type { Exported, ExportFilter } from 'contract/reports.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';

const columns = [
  'id',
  'tab',
  'filter',
  'state',
  'rowsDone',
  'rowsTotal',
  'bytes',
  'createdAt',
  'startedAt',
  'finishedAt',
  'keptUntil',
] as const;
const privateColumns = ['requestedBy', 'attempt', 'touchedAt'] as const;

const unfinished = ['waiting', 'running'] as const;

/** Expired exports are hidden until the sweep deletes them. */
const isKept = sql<boolean>`coalesce(kept_until > now(), true)`;

type NewExport = { tab: Exported; filter: ExportFilter; requestedBy: string; rowsTotal: bigint | null };

export function insertExport(tx: Tx, { filter, ...rest }: NewExport) {
  return tx
    .insertInto('reportExport')
    .values({ ...rest, filter: JSON.stringify(filter) })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

export async function countUnfinished(tx: Tx, requestedBy: string) {
  const { count } = await tx
    .selectFrom('reportExport')
    .select(sql<bigint>`count(*)`.as('count'))
    .where('requestedBy', '=', requestedBy)
    .where('state', 'in', unfinished)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function selectExports(db: Db, requestedBy: string) {
  return db
    .selectFrom('reportExport')
    .select(columns)
    .where('requestedBy', '=', requestedBy)
    .where(isKept)
    .orderBy('createdAt', 'desc')
    .execute();
}

/**
 * Expires the finished exports beyond the number to keep. Exports with a file are kept before failed and canceled ones,
 * and newer ones before older ones.
 */
export function expireOldest(tx: Tx, requestedBy: string, keep: number) {
  const tooMany = tx
    .selectFrom('reportExport')
    .select('id')
    .where('requestedBy', '=', requestedBy)
    .where('state', 'not in', unfinished)
    .where(isKept)
    .orderBy(sql`state = 'done'`, 'desc')
    .orderBy('finishedAt', 'desc')
    .offset(keep);
  return tx.updateTable('reportExport').set({ keptUntil: sql`now()` }).where('id', 'in', tooMany).execute();
}

/** Locks an export, so that building, canceling and downloading it run one after the other. */
export function lockExport(tx: Tx, id: string) {
  return tx
    .selectFrom('reportExport')
    .select([...columns, ...privateColumns, 'keyDigest'])
    .select(sql<boolean>`coalesce(key_until > now(), false)`.as('keyIsFresh'))
    .where('id', '=', id)
    .where(isKept)
    .forUpdate()
    .executeTakeFirst();
}

export function keepKey(tx: Tx, id: string, digest: Buffer | null) {
  const keyUntil = digest && sql<Date>`now() + interval '1 minute'`;
  return tx.updateTable('reportExport').set({ keyDigest: digest, keyUntil }).where('id', '=', id).execute();
}

export function selectRequester(db: Db, id: string) {
  const one = db.selectFrom('admin').select(['role', 'permissionSet']).where('id', '=', id);
  return one.where('retiredAt', 'is', null).executeTakeFirst();
}

/** Starts a new attempt. From now on, writes of earlier attempts are ignored. */
export function startAttempt(tx: Tx, id: string) {
  return tx
    .updateTable('reportExport')
    .set({
      state: 'running',
      attempt: sql`attempt + 1`,
      rowsDone: 0n,
      bytes: 0n,
      startedAt: sql`now()`,
      touchedAt: sql`now()`,
    })
    .where('id', '=', id)
    .returning([...columns, ...privateColumns])
    .executeTakeFirstOrThrow();
}

export type Attempt = { id: string; attempt: number };
type Progress = { rowsDone: bigint; bytes: bigint };

/**
 * Stores the progress of an attempt. Returns false if the attempt is no longer current, because the export was canceled
 * or another worker has restarted it.
 */
export async function touchExport(tx: Tx, { id, attempt }: Attempt, progress: Progress) {
  const { numUpdatedRows } = await tx
    .updateTable('reportExport')
    .set({ ...progress, touchedAt: sql`now()` })
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('state', '=', 'running')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Finishes an export. Its file and row are kept for a day, unless newer exports replace it. */
export function finishExport(tx: Tx, id: string, state: 'done' | 'failed' | 'cancelled') {
  return tx
    .updateTable('reportExport')
    .set({ state, finishedAt: sql`now()`, keptUntil: sql`now() + interval '24 hours'`, touchedAt: null })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
}

export function addFailure(tx: Tx, id: string) {
  return tx
    .updateTable('reportExport')
    .set({ failures: sql`failures + 1` })
    .where('id', '=', id)
    .returning('failures')
    .executeTakeFirstOrThrow();
}

export function putBack(tx: Tx, id: string) {
  return tx.updateTable('reportExport').set({ state: 'waiting', touchedAt: sql`now()` }).where('id', '=', id).execute();
}

/** Locks unfinished exports that were not updated for so long that no worker can be building them. */
export function lockStalled(tx: Tx) {
  return tx
    .selectFrom('reportExport')
    .select(['id', 'state'])
    .where('state', 'in', unfinished)
    .where(sql<boolean>`coalesce(touched_at, created_at) < now() - interval '30 seconds'
      * case state when 'running' then 1 else 10 end`)
    .forUpdate()
    .skipLocked()
    .execute();
}

export function selectExpired(db: Db) {
  return db.selectFrom('reportExport').select('id').where(sql<boolean>`kept_until < now()`).execute();
}

export function deleteExpired(tx: Tx, ids: string[]) {
  return tx.deleteFrom('reportExport').where('id', 'in', ids).execute();
}

export function selectStates(db: Db, ids: string[]) {
  return db.selectFrom('reportExport').select(['id', 'state', 'attempt']).where('id', 'in', ids).execute();
}
