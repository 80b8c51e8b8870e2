import { refuseReversal } from 'contract/run-states.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Tx } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import { lockedRun } from '../store/changes.ts';
import { selectPayments } from '../store/outcome-queries.ts';
import { shown } from '../store/wire.ts';
import { type Acting, insertPlanning } from './create.ts';
import { forPlanOf, supersedePlan } from './supersede.ts';

type Reverse = Acting & { id: string; reason: string; user?: string | undefined };

/** How a reversal is refused where it is asked for one user alone. */
const refusedForUser = {
  ReversalIsFinal: 'ReversalIsFinal',
  NothingToReverse: 'UserNotPaid',
  AlreadyReversed: 'UserAlreadyReversed',
} as const;

/** A run of its own, through the same steps. It reverses what was paid, line by line, and not what was planned. */
export async function planReversal(tx: Tx, { actor, enqueue, id, reason, user }: Reverse) {
  const run = await lockedRun(tx, id, 'reverse');
  // First, because it waits for whoever plans the same job: what they reversed is then seen.
  await supersedePlan(tx, run.kind, forPlanOf(actor));
  const refused = refuseReversal({ reverses: run.reverses, ...(await selectPayments(tx, { id, user })) });
  if (refused) throw new Refusal(user === undefined ? refused : refusedForUser[refused]);
  const { kind, period, day, part, asset, settingsVersion } = run;
  const settings = { person: user ?? null };
  const planned = await insertPlanning(tx, enqueue, {
    kind,
    period,
    day,
    part,
    asset,
    settings,
    settingsVersion,
    plannedBy: actor.id,
    reverses: id,
    reason,
  });
  const details = { kind, period, reverses: id, reason, ...(user && { user }) };
  await recordAudit(tx, { actorId: actor.id, action: 'runs.reverse', subjectId: planned.id, details });
  return { run: shown(planned) };
}
