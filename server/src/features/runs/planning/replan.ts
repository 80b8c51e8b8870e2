import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import type { Enqueue } from '#server/core/queue/queue.ts';
import { kinds } from '../kinds/kinds.ts';
import { refuseArchived } from '../store/archived.ts';
import { type RunRow, selectRun } from '../store/run-queries.ts';
import { selectPayments } from '../store/outcome-queries.ts';
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
  const ended = await selectRun(tx, id);
  if (!ended) throw new Refusal('RunNotFound');
  const { kind, period, day, asOf } = ended;
  await supersedePlan(tx, kind, forPlanOf(actor));
  if (!(await hasUnpaidPeriod(tx, ended))) throw new Refusal('NothingDue');
  const saved = { settings: ended.settings, version: ended.settingsVersion };
  const run = await createRun(tx, { kind, plannedBy: actor.id, enqueue, saved, period, day, asOf });
  const details = { kind, period, settingsVersion: run.settingsVersion, replans: id };
  await recordAudit(tx, { actorId: actor.id, action: 'runs.plan', subjectId: run.id, details });
  return { run: shown(run) };
}

type OfUser = { actor: Actor; enqueue: Enqueue; id: string; user: string };

/** Plans what was reversed for one user again. The plan skips payments that were not reversed. */
export async function replanUser(tx: Tx, { actor, enqueue, id, user }: OfUser) {
  const ended = await selectRun(tx, id);
  if (!ended) throw new Refusal('RunNotFound');
  const { kind, period, day, asOf } = ended;
  await supersedePlan(tx, kind, forPlanOf(actor));
  await refuseArchived(tx, day);
  const { reversed } = await selectPayments(tx, { id, user });
  if (ended.reverses !== null || reversed === 'none') throw new Refusal('UserNotReversed');
  const saved = { settings: ended.settings, version: ended.settingsVersion };
  const run = await createRun(tx, { kind, plannedBy: actor.id, enqueue, saved, period, day, asOf, onlyUser: user });
  const details = { kind, period, settingsVersion: run.settingsVersion, replans: id, user };
  await recordAudit(tx, { actorId: actor.id, action: 'runs.plan', subjectId: run.id, details });
  return { run: shown(run) };
}
