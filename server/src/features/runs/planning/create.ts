import { type RunKind, runKinds } from 'contract/run-kinds.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import { brokenConstraint, type Tx } from '#server/core/db/db.ts';
import type { AskFor } from '#server/core/queue/queue.ts';
import { Refusal } from '#server/core/refusal.ts';
import { kinds } from '../kinds/kinds.ts';
import { changed } from '../store/changes.ts';
import { insertRun, selectActivePayment, selectSettings } from '../store/run-queries.ts';
import { planErrand } from '../store/tasks.ts';
import { shown } from '../store/wire.ts';
import { forPlanOf, makeWay } from './supersede.ts';

export type Acting = { actor: Actor; askFor: AskFor };
type Wanted = {
  kind: RunKind;
  plannedBy: string | null;
  askFor: AskFor;
  /** Those by which its period was found: somebody may have saved others since. */
  saved: { settings: unknown; version: number };
  period: string;
  day: string;
};

/** By hand: what waits to be begun is planned anew, for what it was made from may have changed. */
export async function planByHand(tx: Tx, { actor, askFor, kind, now }: Acting & { kind: RunKind; now: Date }) {
  await makeWay(tx, kind, forPlanOf(actor));
  const saved = await selectSettings(tx, kind);
  const period = await kinds[kind].periodToPay(tx, { settings: saved.settings, now });
  const run = await createRun(tx, { kind, plannedBy: actor.id, askFor, saved, ...period });
  const details = { kind, period: run.period, settingsVersion: run.settingsVersion };
  await recordAudit(tx, { actorId: actor.id, action: 'runs.plan', subjectId: run.id, details });
  return { run: shown(run) };
}

/** What was paid in part is ended by the settings it was begun with; what nobody has, by those that are asked for. */
export async function createRun(tx: Tx, { kind, plannedBy, askFor, saved, period, day }: Wanted) {
  const { keepsSettings, partOf } = kinds[kind];
  const activePayment = keepsSettings ? await selectActivePayment(tx, { kind, period }) : undefined;
  const { settings, version } = activePayment ?? saved;
  const part = await partOf(tx, day);
  const { asset } = runKinds[kind];
  return insertPlanning(tx, askFor, { kind, period, day, part, asset, settings, settingsVersion: version, plannedBy });
}

export async function insertPlanning(tx: Tx, askFor: AskFor, run: Parameters<typeof insertRun>[1]) {
  const id = await insertRun(tx, run).catch((error: unknown) => {
    throw brokenConstraint(error) === 'run_of_a_kind_at_a_time' ? new Refusal('RunUnderWay') : error;
  });
  await askFor(tx, planErrand.name, id);
  return changed(tx, id);
}
