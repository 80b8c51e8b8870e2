import { type FactKey, writeFactAmount } from 'contract/approvals-facts.ts';
import { requestApproval, type Effect, withdrawRequest } from '#server/core/approvals/approvals.ts';
import type { Fact, Payload } from '#server/core/approvals/payload.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Tx } from '#server/core/db/db.ts';
import type { Enqueue } from '#server/core/queue/queue.ts';
import { Refusal } from '#server/core/refusal.ts';
import { changed, lockedRun } from '../store/changes.ts';
import { lockRun, type RunRow, updateRun } from '../store/run-queries.ts';
import { planTask } from '../store/task-names.ts';
import { canStart } from '../store/transitions.ts';
import { shown } from '../store/wire.ts';
import { enqueueLanes } from './lanes.ts';
import { start, runNeedsApproval } from './start.ts';

type Acting = { actor: Actor; enqueue: Enqueue };
type Start = Acting & { id: string; planHash: string };

export async function startRun(tx: Tx, { actor, enqueue, id, planHash }: Start) {
  const run = await lockedRun(tx, id, 'start');
  if (run.planHash !== planHash) throw new Refusal('RunChanged');
  const needsRequest = await runNeedsApproval(tx, run);
  if (needsRequest) {
    await requestApproval(tx, { kind: 'run', subjectId: id, payload: payloadOf(run), requestedBy: actor.id });
  } else {
    await start(tx, run, { startedBy: actor.id, approvedBy: null, enqueue });
  }
  const after = await changed(tx, id);
  const details = { kind: run.kind, period: run.period, planHash, ...(after.why && { refused: after.why }) };
  await recordAudit(tx, {
    actorId: actor.id,
    action: needsRequest ? 'runs.ask' : 'runs.start',
    subjectId: id,
    details,
  });
  return { run: shown(after) };
}

/** The effect of an approval: starts the run with exactly the plan that was approved. */
export const runEffect = (enqueue: Enqueue): Effect => ({
  async payloadOf(tx, id) {
    const run = await lockRun(tx, id);
    return run && canStart(run.state) ? payloadOf(run) : undefined;
  },
  async apply(tx, { subjectId, requestedBy, decidedBy }) {
    const run = await lockRun(tx, subjectId);
    if (!run) throw new Refusal('ApprovalVoid');
    await start(tx, run, { startedBy: requestedBy, approvedBy: decidedBy, enqueue });
  },
});

function payloadOf(run: RunRow): Payload {
  const { asset, lines, skipped } = run;
  const isReversal = run.reverses !== null;
  const amount = run.pays + run.releases;
  const amountFact = (key: FactKey, units: bigint): Fact => ({ key, value: writeFactAmount(units, asset) });
  return {
    userUuid: null,
    facts: [
      { key: 'job', value: run.kind },
      { key: 'period', value: run.period },
      { key: 'direction', value: isReversal ? 'reversal' : 'run' },
      amountFact('amount', isReversal ? -amount : amount),
      ...(run.setsAside > 0n ? [amountFact('setsAside', run.setsAside)] : []),
      ...(run.returned > 0n ? [amountFact('returned', run.returned)] : []),
      ...(isReversal ? [{ key: 'reason' as const, value: run.reason ?? '' }] : []),
      { key: 'payments', value: String(lines - skipped) },
      { key: 'skipped', value: String(skipped) },
      { key: 'settingsVersion', value: String(run.settingsVersion) },
      { key: 'planHash', value: run.planHash ?? '' },
    ],
  };
}

type Steer = Acting & { id: string; step: 'pause' | 'resume' | 'retry' | 'cancel' };

export async function steerRun(tx: Tx, { actor, enqueue, id, step }: Steer) {
  const run = await lockedRun(tx, id, step);
  if (step === 'pause')
    await updateRun(tx, run, { event: step, why: { code: 'paused', params: { by: actor.username } } });
  else if (step === 'cancel') await cancel(tx, run, actor);
  else await continueRun(tx, run, { event: step, enqueue });
  const after = await changed(tx, id);
  await recordAudit(tx, {
    actorId: actor.id,
    action: `runs.${step}`,
    subjectId: id,
    details: { kind: run.kind, period: run.period, before: { state: run.state }, after: { state: after.state } },
  });
  return { run: shown(after) };
}

type Continue = { event: 'resume' | 'retry'; enqueue: Enqueue };

/** Plans a run again that failed during planning; any other run continues paying. */
async function continueRun(tx: Tx, run: RunRow, { event, enqueue }: Continue) {
  const state = await updateRun(tx, run, { event, why: null });
  if (state === 'planning') await enqueue(tx, planTask.name, run.id);
  else await enqueueLanes(tx, run.id, enqueue);
}

async function cancel(tx: Tx, run: RunRow, { username }: Actor) {
  if (run.state === 'waiting') await withdrawRequest(tx, { kind: 'run', subjectId: run.id });
  await updateRun(tx, run, { event: 'cancel', why: { code: 'cancelled', params: { by: username } } });
}
