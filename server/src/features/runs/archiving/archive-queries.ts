import { sql } from 'kysely';
import { type Db, runQuery, type Tx } from '#server/core/db/db.ts';
import { firstKeptDay } from '../store/archived.ts';

export type Archive = { until: string; file: string };

/** Returns an archive that was started and not completed: the process that wrote it has died. */
export async function selectUnfinished(db: Db) {
  const [archive] = await runQuery<Archive>(
    db,
    sql`select until::text, file from run_line_archive where archived_at is null order by until limit 1`,
  );
  return archive;
}

/** Returns the end of the oldest partition, if all runs of its days ended before a time. */
export async function selectOldest(db: Db, endedBefore: Date) {
  const [oldest] = await runQuery<{ until: string }>(
    db,
    sql`select until::text from (select until from run_line_part order by until limit 1) as oldest
      where until <= ${endedBefore} and not exists (
        select from run where day < oldest.until and (ended_at is null or ended_at >= ${endedBefore}))`,
  );
  return oldest?.until;
}

export async function insertArchive(tx: Tx, { until, file }: Archive) {
  await sql`insert into run_line_archive (until, file) values (${until}::date, ${file})`.execute(tx);
}

/** SQL for the lines of an archive that is not complete: all that are older, because earlier ones are dropped. */
export const linesBefore = (until: string) => sql`select * from run_line where day < ${until}::date`;

/** The columns of the file, in the order of the table. */
export async function selectColumns(db: Db) {
  const columns = await runQuery<{ name: string }>(
    db,
    sql`select attname as name from pg_attribute
      where attrelid = 'run_line'::regclass and attnum > 0 and not attisdropped order by attnum`,
  );
  return columns.map(({ name }) => name);
}

/** Returns how many lines the plans of these days have. */
export async function countPlanned(db: Db, until: string) {
  const [planned] = await runQuery<{ lines: bigint }>(
    db,
    sql`select coalesce(sum(chunk.lines), 0)::bigint as lines from run join run_chunk as chunk on chunk.run_id = run.id
      where run.day < ${until}::date
        and run.day >= ${firstKeptDay}`,
  );
  return planned?.lines ?? 0n;
}

export type Written = { lines: bigint; bytes: bigint; sha256: string };

export async function updateArchived(tx: Tx, until: string, { lines, bytes, sha256 }: Written) {
  await sql`
    update run_line_archive set lines = ${lines}, bytes = ${bytes}, sha256 = ${sha256}, archived_at = now()
    where until = ${until}::date`.execute(tx);
}

export const dropLines = (tx: Tx, until: string) => sql`select drop_archived_lines(${until}::date)`.execute(tx);

/** Returns all complete archives, oldest first. */
export const selectArchives = (db: Db) =>
  runQuery<Archive & Written>(
    db,
    sql`select until::text, file, lines, bytes, sha256 from run_line_archive
      where archived_at is not null order by until`,
  );
