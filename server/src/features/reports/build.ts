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
  /** Its statements may take as long as a file takes. */
  pool: Pool;
  folder: string;
};

const progressMs = 500;
const failuresAtMost = 3;

/** Spreadsheets take a file without it for one in their own old encoding. */
const byteOrderMark = '\uFEFF';

class NobodysAnyMore extends Error {}

/** Builds the file of one export. Safe to run twice, at once or in turn: only the newest attempt counts. */
export async function buildExport(deps: Deps, id: string, signal: AbortSignal) {
  const started = await start(deps.database, id);
  if (!started) return;
  const part = unfinishedFile(deps.folder, started);
  try {
    await openFolder(deps.folder);
    const written = await write(deps, { ...started, part }, signal);
    await publish(deps, started, written);
  } catch (error) {
    // What cannot be removed now is cleared away later; the export must not wait for it.
    await removeFile(part).catch(() => undefined);
    if (error instanceof NobodysAnyMore) return;
    await giveBack(deps.database, started, signal.reason);
    throw error;
  }
}

/** Nothing where it is done, cancelled or in somebody's hands. */
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
  const telling = tellProgress(database, work, progress);
  try {
    const stop = AbortSignal.any([signal, telling.lost]);
    await copyOut(pool, { query: query.compile(database), quoted, through: lines, into: file, signal: stop });
  } catch (error) {
    telling.lost.throwIfAborted();
    throw error;
  } finally {
    await telling.stop();
    file.destroy();
  }
  const { size } = await stat(work.part);
  return { rowsDone: BigInt(lines.count), bytes: BigInt(size) };
}

/** Writes down how far it is, twice a second, and says `lost` once there is no point in going on. */
function tellProgress(database: Database, attempt: Attempt, progress: () => Written) {
  const lost = new AbortController();
  const stopping = new AbortController();
  const tell = () =>
    database.transaction().execute(async (tx) => {
      if (!(await touchExport(tx, attempt, progress()))) throw new NobodysAnyMore();
    });
  const telling = async () => {
    while (await pause(progressMs, stopping.signal)) await tell();
  };
  const told = telling().catch((error: unknown) => lost.abort(error));
  const stop = async () => {
    stopping.abort();
    await told;
  };
  return { lost: lost.signal, stop };
}

const pause = (ms: number, signal: AbortSignal) => wait(ms, true, { signal }).catch(() => false);

/** The row is held while the file gets its name: an attempt that was given up cannot put its own in that place. */
function publish({ database, folder }: Deps, started: Attempt, written: Written) {
  return database.transaction().execute(async (tx) => {
    if (!(await touchExport(tx, started, written))) throw new NobodysAnyMore();
    await publishFile(folder, started);
    await finishExport(tx, started.id, 'done');
    await announce(tx, { feature: 'reports', id: started.id });
  });
}

/** A restart of the worker says nothing about the export; everything else that ends an attempt may be its own doing. */
function giveBack(database: Database, { id, attempt }: Attempt, stoppedBy: unknown) {
  return database.transaction().execute(async (tx) => {
    const known = await lockExport(tx, id);
    if (known?.state !== 'running' || known.attempt !== attempt) return;
    const goesOn = stoppedBy instanceof ShuttingDown || (await countFailure(tx, id));
    if (goesOn) await putBack(tx, id);
    await announce(tx, { feature: 'reports', id });
  });
}

/** Whether it may be tried again; if not, it is over. */
export async function countFailure(tx: Tx, id: string) {
  const { failures } = await addFailure(tx, id);
  if (failures < failuresAtMost) return true;
  await finishExport(tx, id, 'failed');
  return false;
}
