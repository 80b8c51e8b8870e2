import type { Asset } from 'contract/core/money.ts';
import { movedBy } from 'contract/runs.ts';
import type { Reason } from 'contract/runs-reasons.ts';
import { needsApproval } from '#server/core/approvals/approvals.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { lockTreasury } from '#server/core/ledger/lines.ts';
import type { Enqueue } from '#server/core/queue/queue.ts';
import { selectDigests } from '../store/chunk-queries.ts';
import { hashOf } from '../store/plan-hash.ts';
import { beforeAll, everyone } from '../store/ranges.ts';
import { type RunRow, updateRun } from '../store/run-queries.ts';
import { enqueueLanes } from './lanes.ts';
import { selectToFund } from './pay-queries.ts';
import { whyOutdated } from './outdated.ts';

/** Compares each run with the limit on its own: runs have no daily total. */
export const runNeedsApproval = (tx: Tx, run: RunRow) =>
  needsApproval(tx, { kind: 'run', asset: run.asset, usedToday: 0n, units: movedBy(run) });

/** The units that started runs still take from the treasury. They are reserved for these runs. */
export const owedByRuns = (tx: Tx, asset: Asset) => selectToFund(tx, { asset });

type Starters = { startedBy: string | null; approvedBy: string | null };

const planChanged: Reason = { code: 'plan-changed', params: {} };

/** Starts a planned run, or refuses it and returns the reason if the plan was changed or is outdated. */
export async function start(tx: Tx, run: RunRow, { enqueue, ...starters }: Starters & { enqueue: Enqueue }) {
  const isUnchanged = hashOf(run, await selectDigests(tx, run.id)) === run.planHash;
  await lockTreasury(tx, run.asset);
  const all = { range: { after: beforeAll, to: everyone }, toFund: await selectToFund(tx, run) };
  const outdated = isUnchanged ? await whyOutdated(tx, run, all) : planChanged;
  if (outdated === undefined) {
    const event = starters.approvedBy === null ? 'start' : 'approve';
    await updateRun(tx, run, { event, why: null, ...starters });
    await enqueueLanes(tx, run.id, enqueue);
  } else {
    await updateRun(tx, run, { event: 'refuse', why: outdated });
  }
  await announce(tx, { feature: 'runs', id: run.id });
  return outdated;
}

/** Starts a scheduled run up to the limit. Above it, the run stays planned until an administrator starts it. */
export async function startOnSchedule(tx: Tx, run: RunRow, enqueue: Enqueue) {
  if (await runNeedsApproval(tx, run)) return;
  const refused = await start(tx, run, { startedBy: null, approvedBy: null, enqueue });
  const details = { kind: run.kind, period: run.period, planHash: run.planHash, ...(refused && { refused }) };
  await recordAudit(tx, { actorId: null, action: 'runs.start', subjectId: run.id, details });
}
