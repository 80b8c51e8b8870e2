import { refuseReversal } from 'contract/run-states.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Tx } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import { refuseArchived } from '../store/archived.ts';
import { lockedRun } from '../store/changes.ts';
import { selectPayments } from '../store/outcome-queries.ts';
import { shown } from '../store/wire.ts';
import { type Acting, insertPlanning } from './create.ts';
import { forPlanOf, supersedePlan } from './supersede.ts';

type Reverse = Acting & { id: string; reason: string; user?: string | undefined };

/** The refusals of a reversal that is requested for one user. */
const refusedForUser = {
  ReversalIsFinal: 'ReversalIsFinal',
  NothingToReverse: 'UserNotPaid',
  AlreadyReversed: 'UserAlreadyReversed',
} as const;

/** Plans a reversal, a separate run with the same steps. It reverses what was paid, not what was planned. */
export async function planReversal(tx: Tx, { actor, enqueue, id, reason, user }: Reverse) {
  const run = await lockedRun(tx, id, 'reverse');
  // This comes first because it waits for concurrent plans of the job, whose reversals are then visible.
  await supersedePlan(tx, run.kind, forPlanOf(actor));
  await refuseArchived(tx, run.day);
  const refused = refuseReversal({ reverses: run.reverses, ...(await selectPayments(tx, { id, user })) });
  if (refused) throw new Refusal(user === undefined ? refused : refusedForUser[refused]);
  const { kind, period, day, part, asset, settingsVersion, asOf } = run;
  const settings = { person: user ?? null };
  const planned = await insertPlanning(tx, enqueue, {
    kind,
    period,
    day,
    part,
    asset,
    settings,
    settingsVersion,
    asOf,
    plannedBy: actor.id,
    reverses: id,
    reason,
  });
  const details = { kind, period, reverses: id, reason, ...(user && { user }) };
  await recordAudit(tx, { actorId: actor.id, action: 'runs.reverse', subjectId: planned.id, details });
  return { run: shown(planned) };
}
