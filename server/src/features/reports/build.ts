import { open, stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { Exported, ExportFilter } from 'contract/reports.ts';
import { copyOut } from '#server/core/db/copy.ts';
import type { Database, Pool, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { ShuttingDown } from '#server/core/queue/queue.ts';
import {
  type Attempt,
  addFailure,
  startAttempt,
  finishExport,
  lockExport,
  putBack,
  touchExport,
} from './export-queries.ts';
import { openFolder, publishFile, removeFile, unfinishedFile } from './folder.ts';
import { Lines } from './lines.ts';
import { writtenExport } from './queries.ts';

export type Deps = {
  database: Database;
  /** Its statement timeout is long enough for a whole file. */
  pool: Pool;
  folder: string;
};

const progressMs = 500;
const failuresAtMost = 3;

/** Without it, spreadsheets assume a legacy encoding. */
const byteOrderMark = '\uFEFF';

class AttemptEnded extends Error {}

/** Builds the file of one export. Safe to run twice, also concurrently: only the newest attempt counts. */
export async function buildExport(deps: Deps, id: string, signal: AbortSignal) {
  const started = await start(deps.database, id);
  if (!started) return;
  const part = unfinishedFile(deps.folder, started);
  try {
    await openFolder(deps.folder);
    const written = await write(deps, { ...started, part }, signal);
    await publish(deps, started, written);
  } catch (error) {
    // The sweep removes a file that cannot be removed now; the export must not depend on it.
    await removeFile(part).catch(() => undefined);
    if (error instanceof AttemptEnded) return;
    await releaseExport(deps.database, started, signal.reason);
    throw error;
  }
}

/** Starts an attempt. Returns undefined if the export is finished or another worker is building it. */
function start(database: Database, id: string) {
  return database.transaction().execute(async (tx) => {
    const known = await lockExport(tx, id);
    if (known?.state !== 'waiting') return undefined;
    const { attempt, tab, filter } = await startAttempt(tx, id);
    await announce(tx, { feature: 'reports', id });
    return { id, attempt, tab: Exported.parse(tab), filter: ExportFilter.parse(filter) };
  });
}

type Work = Attempt & { tab: Exported; filter: ExportFilter; part: string };
type Written = { rowsDone: bigint; bytes: bigint };

async function write({ database, pool }: Deps, work: Work, signal: AbortSignal): Promise<Written> {
  const { head, query, quoted } = writtenExport(work.tab, work.filter);
  const lines = new Lines(`${byteOrderMark}${head}\r\n`);
  const handle = await open(work.part, 'wx', 0o600);
  const file = handle.createWriteStream({ flush: true });
  const progress = () => ({ rowsDone: BigInt(lines.count), bytes: BigInt(file.bytesWritten) });
  const reporting = reportProgress(database, work, progress);
  try {
    const stop = AbortSignal.any([signal, reporting.lost]);
    await copyOut(pool, { query: query.compile(database), quoted, through: lines, into: file, signal: stop });
  } catch (error) {
    reporting.lost.throwIfAborted();
    throw error;
  } finally {
    await reporting.stop();
    file.destroy();
  }
  const { size } = await stat(work.part);
  return { rowsDone: BigInt(lines.count), bytes: BigInt(size) };
}

/** Stores the progress twice a second. Aborts `lost` if the attempt is no longer current or storing fails. */
function reportProgress(database: Database, attempt: Attempt, progress: () => Written) {
  const lost = new AbortController();
  const stopping = new AbortController();
  const report = () =>
    database.transaction().execute(async (tx) => {
      if (!(await touchExport(tx, attempt, progress()))) throw new AttemptEnded();
    });
  const reportUntilStopped = async () => {
    while (await pause(progressMs, stopping.signal)) await report();
  };
  const ended = reportUntilStopped().catch((error: unknown) => lost.abort(error));
  const stop = async () => {
    stopping.abort();
    await ended;
  };
  return { lost: lost.signal, stop };
}

const pause = (ms: number, signal: AbortSignal) => wait(ms, true, { signal }).catch(() => false);

/** Renames the file while the row is locked, so that an abandoned attempt cannot replace a published file. */
function publish({ database, folder }: Deps, started: Attempt, written: Written) {
  return database.transaction().execute(async (tx) => {
    if (!(await touchExport(tx, started, written))) throw new AttemptEnded();
    await publishFile(folder, started);
    await finishExport(tx, started.id, 'done');
    await announce(tx, { feature: 'reports', id: started.id });
  });
}

/**
 * Ends a failed attempt so that the export can be retried. A shutdown of the worker is not counted as a failure; every
 * other cause may be the export itself.
 */
function releaseExport(database: Database, { id, attempt }: Attempt, stoppedBy: unknown) {
  return database.transaction().execute(async (tx) => {
    const known = await lockExport(tx, id);
    if (known?.state !== 'running' || known.attempt !== attempt) return;
    const mayRetry = stoppedBy instanceof ShuttingDown || (await countFailure(tx, id));
    if (mayRetry) await putBack(tx, id);
    await announce(tx, { feature: 'reports', id });
  });
}

/** Counts a failure and returns whether the export may be retried. After the last one it is marked as failed. */
export async function countFailure(tx: Tx, id: string) {
  const { failures } = await addFailure(tx, id);
  if (failures < failuresAtMost) return true;
  await finishExport(tx, id, 'failed');
  return false;
}
