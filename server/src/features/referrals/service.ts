import { type Correction, type FindingKind, type TreeReport, refuseRepair } from 'contract/referrals.ts';
import { requestApproval, type Effect, withdrawRequest } from '#server/core/approvals/approvals.ts';
import type { Payload } from '#server/core/approvals/payload.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import { brokenConstraint, type Db, lockFor, type Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import type { Enqueue } from '#server/core/queue/queue.ts';
import { checkTask, repairTask } from './tasks.ts';
import { beforeAll } from './find-queries.ts';
import {
  insertReport,
  lockReport,
  selectCorrections,
  selectFindings,
  selectNewest,
  selectNewestFinished,
  selectReport,
  updateRepairStarted,
} from './queries.ts';

export async function readTree(db: Db) {
  return { newest: (await selectNewest(db)) ?? null, finished: (await selectNewestFinished(db)) ?? null };
}

/** Serializes the starts of reports and repairs, which would not see each other if they were concurrent. */
const lockTree = (tx: Tx) => lockFor(tx, 'referrals.tree');

export async function checkTree(tx: Tx, { actor, enqueue }: { actor: Actor; enqueue: Enqueue }) {
  await lockTree(tx);
  const before = await selectNewest(tx);
  // A new report would find errors that are being corrected, and its own repair would correct them again.
  if (before?.repair?.state === 'repairing') throw new Refusal('RepairUnderWay');
  const id = await insertReport(tx, actor.id).catch((error: unknown) => {
    throw brokenConstraint(error) === 'referral_report_at_a_time' ? new Refusal('CheckUnderWay') : error;
  });
  if (before) await withdrawRequest(tx, { kind: 'repair', subjectId: before.id });
  await enqueue(tx, checkTask.name, id);
  await recordAudit(tx, { actorId: actor.id, action: 'referrals.check', subjectId: id });
  return changed(tx, id);
}

async function changed(tx: Tx, id: string) {
  await announce(tx, { feature: 'referrals', id });
  return { report: await requireReport(tx, id) };
}

async function requireReport(db: Db, id: string) {
  const report = await selectReport(db, id);
  if (!report) throw new Refusal('ReportNotFound');
  return report;
}

export async function listFindings(
  db: Db,
  { id, kind, after = 0 }: { id: string; kind: FindingKind; after?: number | undefined },
) {
  await requireReport(db, id);
  const { rows, next } = await selectFindings(db, { id, kind, after });
  return { findings: rows.map((row) => ({ ...row, size: Number(row.size) })), next };
}

export async function listCorrections(db: Db, { id, after = beforeAll }: { id: string; after?: string | undefined }) {
  await requireReport(db, id);
  const { rows, next } = await selectCorrections(db, { id, after });
  return { corrections: rows.map(correctionOf), next };
}

type Row = Awaited<ReturnType<typeof selectCorrections>>['rows'][number];

function correctionOf({ user, ...row }: Row): Correction {
  const figuresOf = (side: 'stored' | 'tree') => ({
    referralCount: Number(row[`${side}_referrals`]),
    totalNetwork: Number(row[`${side}_network`]),
    totalTeamVolumeSOL: row[`${side}_sol`],
    totalTeamVolumeUSD: row[`${side}_usd`],
  });
  return { user, stored: figuresOf('stored'), tree: figuresOf('tree') };
}

type Params = { actor: Actor; id: string; digest: string };

export async function requestRepair(tx: Tx, { actor, id, digest }: Params) {
  await lockTree(tx);
  const report = await lockReport(tx, id);
  if (!report) throw new Refusal('ReportNotFound');
  const refusal = await disabledReason(tx, report);
  if (refusal) throw new Refusal(refusal);
  if (report.repair) throw new Refusal('RepairRequested');
  if (report.digest !== digest) throw new Refusal('ReportOutdated');
  await requestApproval(tx, { kind: 'repair', subjectId: id, payload: payloadOf(report), requestedBy: actor.id });
  const details = { ...report.wrong, digest };
  await recordAudit(tx, { actorId: actor.id, action: 'referrals.ask-repair', subjectId: id, details });
  return changed(tx, id);
}

async function disabledReason(tx: Tx, report: TreeReport) {
  const newest = await selectNewest(tx);
  return refuseRepair(report, { newest: newest?.id ?? '', now: new Date() });
}

/** The effect of an approval: starts the repair with exactly the corrections that were approved. */
export const repairEffect = (enqueue: Enqueue): Effect => ({
  async payloadOf(tx, id) {
    await lockTree(tx);
    const report = await lockReport(tx, id);
    return report && !(await disabledReason(tx, report)) ? payloadOf(report) : undefined;
  },
  async apply(tx, { subjectId, requestedBy, decidedBy }) {
    await updateRepairStarted(tx, subjectId, { requestedBy, decidedBy });
    await enqueue(tx, repairTask.name, subjectId);
    await announce(tx, { feature: 'referrals', id: subjectId });
  },
});

function payloadOf({ at, wrong, digest }: TreeReport): Payload {
  return {
    userUuid: null,
    facts: [
      { key: 'users', value: String(wrong.users) },
      { key: 'referralCount', value: String(wrong.referralCount) },
      { key: 'totalNetwork', value: String(wrong.totalNetwork) },
      { key: 'totalTeamVolumeSOL', value: String(wrong.totalTeamVolumeSOL) },
      { key: 'totalTeamVolumeUSD', value: String(wrong.totalTeamVolumeUSD) },
      { key: 'reportAt', value: at?.toISOString() ?? '' },
      { key: 'corrections', value: digest ?? '' },
    ],
  };
}
