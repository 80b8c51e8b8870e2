import { open } from 'node:fs/promises';
import { type Holder, holds } from 'contract/core/permissions.ts';
import { type Exported, type ExportFilter, type ReportFilter, type ReportTab, reportRows } from 'contract/reports.ts';
import type { Selectable } from 'kysely';
import { recordAudit } from '#server/core/audit/audit.ts';
import { countEntries } from '#server/core/audit/list.ts';
import { newSecret } from '#server/core/auth/secrets.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import { type Db, lockFor, type Tx } from '#server/core/db/db.ts';
import type { DB } from '#server/core/db/schema.gen.ts';
import { announce } from '#server/core/events/events.ts';
import type { SentFile } from '#server/core/http/api.ts';
import { fitsKeyedHash, keyedHash } from '#server/core/keys.ts';
import { Refusal } from '#server/core/refusal.ts';
import type { Enqueue } from '#server/core/queue/queue.ts';
import { exportTask } from './tasks.ts';
import {
  countUnfinished,
  expireOldest,
  finishExport,
  insertExport,
  keepKey,
  lockExport,
  selectExports,
  selectRequester,
} from './export-queries.ts';
import { finishedFile } from './folder.ts';
import { countFailed, countLines, selectPage } from './queries.ts';

type Params = ReportFilter & { cursor?: string | undefined; limit?: number | undefined };

export function listReport<Row>(db: Db, tab: ReportTab, { cursor, limit = reportRows, ...filter }: Params) {
  return selectPage<Row>(db, { tab, filter, cursor, limit });
}

export async function countFailedWithdrawals(db: Db, filter: Omit<ReportFilter, 'status'>) {
  return { failed: await countFailed(db, filter) };
}

const unfinishedAtMost = 3;
/** Limits the disk space, because a file can have any size. */
const keptAtMost = 20;

type Starting = { actor: Actor; enqueue: Enqueue; tab: Exported; filter: ExportFilter };

export async function startExport(tx: Tx, { actor, enqueue, tab, filter }: Starting) {
  if (!mayExport(actor, tab)) throw new Refusal('PermissionDenied');
  await lockFor(tx, `reports.${actor.id}`);
  if ((await countUnfinished(tx, actor.id)) >= unfinishedAtMost) throw new Refusal('TooManyExports');
  await expireOldest(tx, actor.id, keptAtMost - 1);

  const rowsTotal = await countRows(tx, tab, filter);
  const started = await insertExport(tx, { tab, filter, requestedBy: actor.id, rowsTotal });
  await enqueue(tx, exportTask.name, started.id);
  await announce(tx, { feature: 'reports', id: started.id });
  const details = { tab, filter };
  await recordAudit(tx, { actorId: actor.id, action: 'reports.export', subjectId: started.id, details });
  return { export: toExport(started) };
}

/** The rows of the audit log need a permission of their own. */
const mayExport = (holder: Holder, tab: string) =>
  holds(holder, 'reports.read') && (tab !== 'audit' || holds(holder, 'audit.read'));

/** Returns null if there are more rows than are counted in advance. Refuses an unknown run. */
async function countRows(db: Db, tab: Exported, { run, audit = {}, ...filter }: ExportFilter) {
  if (tab === 'audit') return countEntries(db, audit);
  if (tab === 'run') {
    const lines = await countLines(db, run ?? '');
    if (lines === undefined) throw new Refusal('RunNotFound');
    return lines;
  }
  const { total } = await listReport(db, tab, { ...filter, limit: 1 });
  return total.capped ? null : BigInt(total.count);
}

export async function listExports(db: Db, actor: Actor) {
  return { exports: (await selectExports(db, actor.id)).map(toExport) };
}

type Own = { actor: Actor; id: string };

/** Cancels an export. The worker notices within half a second and removes its file. Refuses a finished export. */
export async function cancelExport(tx: Tx, { actor, id }: Own) {
  const { state } = await lockOwn(tx, { actor, id });
  if (state !== 'waiting' && state !== 'running') throw new Refusal('ExportFinished');
  const cancelled = await finishExport(tx, id, 'cancelled');
  await announce(tx, { feature: 'reports', id });
  await recordAudit(tx, { actorId: actor.id, action: 'reports.cancel-export', subjectId: id });
  return { export: toExport(cancelled) };
}

/**
 * Creates a key for the URL of the file, because a browser downloads it without our headers. The key works once, within
 * a minute. Refuses an export that is not done.
 */
export async function linkExport(tx: Tx, { actor, id }: Own) {
  const { state } = await lockOwn(tx, { actor, id });
  if (state !== 'done') throw new Refusal('ExportNotReady');
  const key = newSecret();
  await keepKey(tx, id, keyedHash('downloads', textOf(id, key)));
  return { key };
}

/** A stored key opens the file of its own export only. */
const textOf = (id: string, key: string) => `${id} ${key}`;

/** Consumes the key. The caller sends the file after the transaction. Refuses a wrong, used or expired key. */
export async function redeemLink(tx: Tx, { id, key }: { id: string; key: string }) {
  const known = await lockExport(tx, id);
  const fits = known?.keyDigest && known.keyIsFresh && fitsKeyedHash('downloads', textOf(id, key), known.keyDigest);
  if (!fits || known.state !== 'done') throw new Refusal('ExportNotFound');
  // The requester must still have the permission to read these rows.
  const requester = await selectRequester(tx, known.requestedBy);
  if (!requester || !mayExport(requester, known.tab)) throw new Refusal('ExportNotFound');
  await keepKey(tx, id, null);
  const details = { tab: known.tab, rows: Number(known.rowsDone) };
  await recordAudit(tx, { actorId: known.requestedBy, action: 'reports.download', subjectId: id, details });
  return { id, tab: known.tab };
}

export async function openExport(folder: string, { id, tab }: { id: string; tab: string }): Promise<SentFile> {
  const file = await open(finishedFile(folder, id)).catch(() => undefined);
  if (!file) throw new Refusal('ExportNotFound');
  const { size } = await file.stat();
  return { type: 'text/csv; charset=utf-8', body: file.createReadStream(), name: `${tab}_report.csv`, bytes: size };
}

/** Refuses another administrator's export as not found, so that its existence is not revealed. */
async function lockOwn(tx: Tx, { actor, id }: Own) {
  const known = await lockExport(tx, id);
  if (known?.requestedBy !== actor.id) throw new Refusal('ExportNotFound');
  return known;
}

type Kept = Omit<
  Selectable<DB['reportExport']>,
  'requestedBy' | 'attempt' | 'failures' | 'touchedAt' | 'keyDigest' | 'keyUntil'
>;

function toExport({ tab, filter, rowsDone, rowsTotal, bytes, ...rest }: Kept) {
  return {
    ...rest,
    tab: tab as Exported,
    filter: filter as ExportFilter,
    rowsDone: Number(rowsDone),
    rowsTotal: rowsTotal === null ? null : Number(rowsTotal),
    bytes: Number(bytes),
  };
}
