import { recordAudit } from '#server/core/audit/audit.ts';
import type { Database, Db, Tx } from '#server/core/db/db.ts';
import { scheduledKinds } from '../schedule/occurrences.ts';
import { lockArchive } from '../store/archived.ts';
import { type ArchiveDeps, inspectArchive, writeArchive } from './archive-file.ts';
import {
  type Archive,
  countPlanned,
  dropLines,
  insertArchive,
  selectArchives,
  selectOldest,
  selectUnfinished,
  updateArchived,
} from './archive-queries.ts';

export type Archiving = ArchiveDeps & {
  /** How long the lines of a run stay in the database after its day and its end. */
  keepMonths: number;
};

/**
 * Archives all lines that are old enough, one partition at a time. The partition is dropped only after the file was read
 * back and has all lines of the plans. A process that dies is continued by the next one, which writes the file again.
 */
export async function archiveLines({ keepMonths, ...deps }: Archiving, now: Date, signal: AbortSignal) {
  const endedBefore = new Date(now);
  endedBefore.setUTCMonth(endedBefore.getUTCMonth() - keepMonths);
  for (;;) {
    const archive = await startArchive(deps.database, { endedBefore, now });
    if (!archive) return;
    await writeArchive(deps, archive, signal);
    await finish(deps, archive);
  }
}

type Times = { endedBefore: Date; now: Date };

/** From now on, no run of these days can be planned, so there is no archive of a day that is still to be paid. */
function startArchive(database: Database, { endedBefore, now }: Times) {
  return database.transaction().execute(async (tx): Promise<Archive | undefined> => {
    await lockArchive(tx);
    const unfinished = await selectUnfinished(tx);
    if (unfinished) return unfinished;
    const until = await selectOldest(tx, endedBefore);
    if (until === undefined || (await hasUnpaidDayBefore(tx, until, now))) return undefined;
    const archive = { until, file: `run-lines-before-${until}.csv.gz` };
    await insertArchive(tx, archive);
    return archive;
  });
}

async function hasUnpaidDayBefore(tx: Tx, until: string, now: Date) {
  for (const { schedule } of scheduledKinds) {
    if (schedule.catchUp !== 'every-period') continue;
    const [earliest] = await schedule.unpaidPeriods(tx, now);
    if (earliest !== undefined && schedule.periodOf(earliest).day < until) return true;
  }
  return false;
}

/** The file is read before the transaction, which PostgreSQL would end if it did nothing for long. */
async function finish({ database, folder }: ArchiveDeps, archive: Archive) {
  const written = await inspectArchive(folder, archive);
  await database.transaction().execute(async (tx) => {
    const planned = await countPlanned(tx, archive.until);
    if (written.lines !== planned) {
      throw new Error(`${archive.file} has ${written.lines} lines, and the plans have ${planned}.`);
    }
    await updateArchived(tx, archive.until, written);
    await dropLines(tx, archive.until);
    const { lines, bytes, sha256 } = written;
    const details = { ...archive, lines: String(lines), bytes: String(bytes), sha256 };
    await recordAudit(tx, { actorId: null, action: 'runs.archive', subjectId: archive.until, details });
  });
}

/** Compares all files with what was recorded when they were written. Returns the names of those that differ. */
export async function verifyArchives(db: Db, folder: string) {
  const archives = await selectArchives(db);
  const damaged: string[] = [];
  for (const { file, lines, bytes, sha256 } of archives) {
    const found = await inspectArchive(folder, { file }).catch(() => undefined);
    if (found?.lines !== lines || found.bytes !== bytes || found.sha256 !== sha256) damaged.push(file);
  }
  return { files: archives.length, damaged };
}
