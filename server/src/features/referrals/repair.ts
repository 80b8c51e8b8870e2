import { recordAudit } from '#server/core/audit/audit.ts';
import type { Database, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { digestCorrections } from './counter-queries.ts';
import { beforeAll } from './find-queries.ts';
import { lockReport, selectReport, updateRepaired } from './queries.ts';

type Piece = { reportId: string; after: string; most: number };

export type RepairDeps = {
  database: Database;
  /** Adds the next corrections to the counters. Returns the last user of the piece, or undefined if none is left. */
  correctTeams: (tx: Tx, piece: Piece) => Promise<string | undefined>;
};

const usersAtOnce = 5_000;

/**
 * Adds the approved corrections to the counters. Each piece is committed with its progress, so nothing is added twice
 * if a process dies or several work concurrently. Throws if the corrections are not those that were approved.
 */
export async function repairCounters({ database, correctTeams }: RepairDeps, id: string, signal: AbortSignal) {
  const report = await selectReport(database, id);
  if (report?.repair?.state !== 'repairing') return;
  if ((await digestCorrections(database, id)) !== report.digest) {
    throw new Error('These are not the corrections that were approved.');
  }
  const repairPiece = async (tx: Tx) => {
    const locked = await lockReport(tx, id);
    if (locked?.repair?.state !== 'repairing') return false;
    const to = await correctTeams(tx, { reportId: id, after: locked.repairedTo ?? beforeAll, most: usersAtOnce });
    await updateRepaired(tx, id, to);
    await announce(tx, { feature: 'referrals', id });
    if (to !== undefined) return true;
    const { wrong, digest, repair } = locked;
    const details = { ...wrong, digest, requestedBy: repair.requestedBy, approvedBy: repair.approvedBy };
    await recordAudit(tx, { actorId: null, action: 'referrals.repair', subjectId: id, details });
    return false;
  };
  while (await database.transaction().execute(repairPiece)) signal.throwIfAborted();
}
