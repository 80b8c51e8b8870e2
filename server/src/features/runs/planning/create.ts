import { type RunKind, runKinds } from 'contract/run-kinds.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import { brokenConstraint, type Tx } from '#server/core/db/db.ts';
import type { Enqueue } from '#server/core/queue/queue.ts';
import { Refusal } from '#server/core/refusal.ts';
import { kinds } from '../kinds/kinds.ts';
import { changed } from '../store/changes.ts';
import { insertRun, selectActivePayment, selectSettings } from '../store/run-queries.ts';
import { planTask } from '../store/task-names.ts';
import { shown } from '../store/wire.ts';
import { forPlanOf, supersedePlan } from './supersede.ts';

export type Acting = { actor: Actor; enqueue: Enqueue };
type NewRun = {
  kind: RunKind;
  plannedBy: string | null;
  enqueue: Enqueue;
  /** The settings that determined the period. Newer ones may have been saved since. */
  saved: { settings: unknown; version: number };
  period: string;
  day: string;
};

/** Plans a run for an administrator. Supersedes a plan that was not started. Refuses if nothing is due. */
export async function planManually(tx: Tx, { actor, enqueue, kind, now }: Acting & { kind: RunKind; now: Date }) {
  await supersedePlan(tx, kind, forPlanOf(actor));
  const saved = await selectSettings(tx, kind);
  const period = await kinds[kind].periodToPay(tx, { settings: saved.settings, now });
  const run = await createRun(tx, { kind, plannedBy: actor.id, enqueue, saved, ...period });
  const details = { kind, period: run.period, settingsVersion: run.settingsVersion };
  await recordAudit(tx, { actorId: actor.id, action: 'runs.plan', subjectId: run.id, details });
  return { run: shown(run) };
}

/** Creates a run. A partly paid period keeps the settings it was started with, for kinds with `keepsSettings`. */
export async function createRun(tx: Tx, { kind, plannedBy, enqueue, saved, period, day }: NewRun) {
  const { keepsSettings, partOf } = kinds[kind];
  const activePayment = keepsSettings ? await selectActivePayment(tx, { kind, period }) : undefined;
  const { settings, version } = activePayment ?? saved;
  const part = await partOf(tx, day);
  const { asset } = runKinds[kind];
  return insertPlanning(tx, enqueue, { kind, period, day, part, asset, settings, settingsVersion: version, plannedBy });
}

export async function insertPlanning(tx: Tx, enqueue: Enqueue, run: Parameters<typeof insertRun>[1]) {
  const id = await insertRun(tx, run).catch((error: unknown) => {
    throw brokenConstraint(error) === 'run_of_a_kind_at_a_time' ? new Refusal('RunUnderWay') : error;
  });
  await enqueue(tx, planTask.name, id);
  return changed(tx, id);
}
