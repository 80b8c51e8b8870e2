import { sql } from 'kysely';
import { type Db, lockFor, runQuery, shareLockFor, type Tx } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';

const archiveLock = 'runs.archive';

/** Waits for runs that are being created, and makes later ones wait. */
export const lockArchive = (tx: Tx) => lockFor(tx, archiveLock);

/** SQL for the first day whose lines are in the database. The lines of earlier days are archived. */
export const firstKeptDay = sql<string>`
  (select coalesce(max(until), '-infinity') from run_line_archive where archived_at is not null)`;

/**
 * Refuses a run for a day whose lines are archived, or are being archived. It comes before any reading of lines, which
 * would find nobody paid.
 */
export async function refuseArchived(tx: Tx, day: string) {
  await shareLockFor(tx, archiveLock);
  const found = await runQuery(tx, sql`select from run_line_archive where until > ${day}::date limit 1`);
  if (found.length > 0) throw new Refusal('LinesArchived');
}

/** Returns the archive that has the lines of a day, or null. */
export async function selectArchive(db: Db, day: string) {
  const [archive] = await runQuery<{ file: string; at: Date }>(
    db,
    sql`select file, archived_at as at from run_line_archive
      where until > ${day}::date and archived_at is not null order by until limit 1`,
  );
  return archive ?? null;
}

/** Returns the first day whose lines are in the database, or null if nothing is archived. */
export async function selectFirstKeptDay(db: Db) {
  const [first] = await runQuery<{ day: string | null }>(
    db,
    sql`select max(until)::text as day from run_line_archive where archived_at is not null`,
  );
  return first?.day ?? null;
}
