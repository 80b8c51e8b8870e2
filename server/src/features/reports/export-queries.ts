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

/** What is past waits only to be deleted. */
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

/** Of the finished ones the newest stay, those with a file before those that came to nothing. */
export function letGoOfOldest(tx: Tx, requestedBy: string, stay: number) {
  const tooMany = tx
    .selectFrom('reportExport')
    .select('id')
    .where('requestedBy', '=', requestedBy)
    .where('state', 'not in', unfinished)
    .where(isKept)
    .orderBy(sql`state = 'done'`, 'desc')
    .orderBy('finishedAt', 'desc')
    .offset(stay);
  return tx.updateTable('reportExport').set({ keptUntil: sql`now()` }).where('id', 'in', tooMany).execute();
}

/** Whoever builds, cancels or fetches it queues up here. */
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

/** One more attempt: whatever an attempt before still writes no longer counts. */
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

/** False when it is nobody's to write any more: cancelled, or started anew by another worker. */
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

/** What ends is kept for a day, file and row, unless newer ones take its place. */
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

/** Unfinished and not heard of for so long that nobody can be at it. */
export function lockForgotten(tx: Tx) {
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

export function selectPast(db: Db) {
  return db.selectFrom('reportExport').select('id').where(sql<boolean>`kept_until < now()`).execute();
}

export function deletePast(tx: Tx, ids: string[]) {
  return tx.deleteFrom('reportExport').where('id', 'in', ids).execute();
}

export function selectStates(db: Db, ids: string[]) {
  return db.selectFrom('reportExport').select(['id', 'state', 'attempt']).where('id', 'in', ids).execute();
}
