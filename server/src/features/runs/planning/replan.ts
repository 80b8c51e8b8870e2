import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import type { Enqueue } from '#server/core/queue/queue.ts';
import { kinds } from '../kinds/kinds.ts';
import { type RunRow, selectRun, selectSettings } from '../store/run-queries.ts';
import { shown } from '../store/wire.ts';
import { createRun } from './create.ts';
import { forPlanOf, supersedePlan } from './supersede.ts';

/** Returns whether the period of a run that has ended is not fully paid. */
export async function hasUnpaidPeriod(db: Db, run: RunRow) {
  if (run.reverses !== null || run.endedAt === null) return false;
  return kinds[run.kind].hasUnpaidPeriod(db, run);
}

/** Plans the period of an ended run again, however old it is. Skips users who were paid. Refuses a paid period. */
export async function replan(tx: Tx, { actor, enqueue, id }: { actor: Actor; enqueue: Enqueue; id: string }) {
  const left = await selectRun(tx, id);
  if (!left) throw new Refusal('RunNotFound');
  const { kind, period, day } = left;
  await supersedePlan(tx, kind, forPlanOf(actor));
  if (!(await hasUnpaidPeriod(tx, left))) throw new Refusal('NothingDue');
  const saved = await settingsFor(tx, left);
  const run = await createRun(tx, { kind, plannedBy: actor.id, enqueue, saved, period, day });
  const details = { kind, period, settingsVersion: run.settingsVersion, again: id };
  await recordAudit(tx, { actorId: actor.id, action: 'runs.plan', subjectId: run.id, details });
  return { run: shown(run) };
}

async function settingsFor(tx: Tx, { kind, settings, settingsVersion }: RunRow) {
  const saved = await selectSettings(tx, kind);
  return kinds[kind].isForSamePayments(saved.settings, settings) ? saved : { settings, version: settingsVersion };
}
