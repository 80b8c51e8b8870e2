import { decideOrRequest, type Effect, withdrawRequest } from '#server/core/approvals/approvals.ts';
import { lockLimitOf } from '#server/core/approvals/queries.ts';
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
import { decisionOn } from './decision.ts';
import { forgetFailures } from './pay-queries.ts';
import { refuse, start, whyOutdatedPlan } from './start.ts';

type Start = { actor: Actor; id: string; planHash: string };

export async function startRun(tx: Tx, { actor, id, planHash }: Start) {
  const run = await lockedRun(tx, id, 'start');
  if (run.planHash !== planHash) throw new Refusal('RunChanged');
  const outcome = await startOrRequest(tx, run, actor);
  const after = await changed(tx, id);
  const details = { kind: run.kind, period: run.period, planHash, ...(after.why && { refused: after.why }) };
  await recordAudit(tx, {
    actorId: actor.id,
    action: outcome === 'requested' ? 'runs.ask' : 'runs.start',
    subjectId: id,
    details,
  });
  return { run: shown(after) };
}

/** An outdated plan is refused before anyone is asked to approve it. */
async function startOrRequest(tx: Tx, run: RunRow, actor: Actor) {
  // Adjustments and rewards lock the limit before the treasury, and two orders could deadlock.
  await lockLimitOf(tx, actor.id);
  const outdated = await whyOutdatedPlan(tx, run);
  if (outdated) {
    await refuse(tx, run, outdated);
    return 'refused';
  }
  const outcome = await decideOrRequest(tx, { ...decisionOn(run), actor });
  if (outcome === 'decided') await start(tx, run, { startedBy: actor.id, approvedBy: null });
  return outcome;
}

/** The effect of an approval: starts the run with exactly the plan that was approved. */
export const runEffect: Effect = {
  async payloadOf(tx, id) {
    const run = await lockRun(tx, id);
    return run && canStart(run.state) ? decisionOn(run).payload : undefined;
  },
  async apply(tx, { subjectId, requestedBy, decidedBy }) {
    const run = await lockRun(tx, subjectId);
    if (!run) throw new Refusal('ApprovalVoid');
    const outdated = await whyOutdatedPlan(tx, run);
    if (outdated) await refuse(tx, run, outdated);
    else await start(tx, run, { startedBy: requestedBy, approvedBy: decidedBy });
  },
};

type Steer = { actor: Actor; enqueue: Enqueue; id: string; step: 'pause' | 'resume' | 'retry' | 'cancel' };

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
  if (event === 'retry') await forgetFailures(tx, run.id);
  if (state === 'planning') await enqueue(tx, planTask.name, run.id);
}

async function cancel(tx: Tx, run: RunRow, { username }: Actor) {
  if (run.state === 'waiting') await withdrawRequest(tx, { kind: 'run', subjectId: run.id });
  await updateRun(tx, run, { event: 'cancel', why: { code: 'cancelled', params: { by: username } } });
}
