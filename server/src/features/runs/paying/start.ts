import type { Asset } from 'contract/core/money.ts';
import type { Reason } from 'contract/runs-reasons.ts';
import { decideOnSchedule } from '#server/core/approvals/approvals.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { lockTreasury } from '#server/core/ledger/lines.ts';
import { selectDigests } from '../store/chunk-queries.ts';
import { hashOf } from '../store/plan-hash.ts';
import { type RunRow, updateRun, waitForEndedRuns } from '../store/run-queries.ts';
import { decisionOn } from './decision.ts';
import { selectToFund } from './pay-queries.ts';
import { whyUncovered } from './cover.ts';

/** The units that started runs still take from the treasury. They are reserved for these runs. */
export async function owedByRuns(tx: Tx, asset: Asset) {
  await waitForEndedRuns(tx);
  return selectToFund(tx, { asset });
}

type Starters = { startedBy: string | null; approvedBy: string | null };

const planChanged: Reason = { code: 'plan-changed', params: {} };

/** Returns why a planned run must not be paid: its plan was changed, or the treasury is too low, which it locks. */
export async function whyOutdatedPlan(tx: Tx, run: RunRow) {
  if (hashOf(run, await selectDigests(tx, run.id)) !== run.planHash) return planChanged;
  await lockTreasury(tx, run.asset);
  await waitForEndedRuns(tx);
  return whyUncovered(tx, run, await selectToFund(tx, run));
}

/** Starts a planned run, in the transaction that decided it. The announcement wakes the workers. */
export async function start(tx: Tx, run: RunRow, starters: Starters) {
  const event = starters.approvedBy === null ? 'start' : 'approve';
  await updateRun(tx, run, { event, why: null, ...starters });
  await announce(tx, { feature: 'runs', id: run.id });
}

/** Ends a planned run, which pays nothing. */
export async function refuse(tx: Tx, run: RunRow, why: Reason) {
  await updateRun(tx, run, { event: 'refuse', why });
  await announce(tx, { feature: 'runs', id: run.id });
}

/** Starts a scheduled run up to the limit. Above it, the run stays planned until an administrator starts it. */
export async function startOnSchedule(tx: Tx, run: RunRow) {
  const refused = await whyOutdatedPlan(tx, run);
  if (refused) await refuse(tx, run, refused);
  else if (await decideOnSchedule(tx, decisionOn(run))) {
    await start(tx, run, { startedBy: null, approvedBy: null });
  } else return;
  const details = { kind: run.kind, period: run.period, planHash: run.planHash, ...(refused && { refused }) };
  await recordAudit(tx, { actorId: null, action: 'runs.start', subjectId: run.id, details });
}
