import { GmpDistribution, RankBonus } from 'contract/jobs.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import type { AskFor } from '#server/core/queue/queue.ts';
import { lastDay } from '../kinds/periods.ts';
import {
  isSettled,
  type RunRow,
  selectNow,
  selectRun,
  selectSettings,
  selectUnpaidDays,
} from '../store/run-queries.ts';
import { forPlanOf, makeWay } from './supersede.ts';
import { createRun } from './create.ts';
import { shown } from '../store/wire.ts';

/** Whether the period of a run that is over still waits to be paid, or to be paid to the end. */
export async function isLeftOpen(db: Db, run: RunRow) {
  if (run.reverses !== null || run.endedAt === null) return false;
  // The next check looks at everyone again; of payouts, no day comes before an earlier one.
  if (run.kind === 'referral-check') return false;
  if (run.kind !== 'stake-payout') return !(await isSettled(db, run));
  const [first] = await selectUnpaidDays(db, lastDay(await selectNow(db)));
  return first === run.period;
}

/** Plans the same period once more, also when it is long over: whoever was paid is skipped. */
export async function planAgain(tx: Tx, { actor, askFor, id }: { actor: Actor; askFor: AskFor; id: string }) {
  const left = await selectRun(tx, id);
  if (!left) throw new Refusal('RunNotFound');
  const { kind, period, day } = left;
  await makeWay(tx, kind, forPlanOf(actor));
  if (!(await isLeftOpen(tx, left))) throw new Refusal('NothingDue');
  const saved = await settingsFor(tx, left);
  const run = await createRun(tx, { kind, plannedBy: actor.id, askFor, saved, period, day });
  const details = { kind, period, settingsVersion: run.settingsVersion, again: id };
  await recordAudit(tx, { actorId: actor.id, action: 'runs.plan', subjectId: run.id, details });
  return { run: shown(run) };
}

async function settingsFor(tx: Tx, { kind, settings, settingsVersion }: RunRow) {
  const saved = await selectSettings(tx, kind);
  return isForTheSame(kind, saved.settings, settings) ? saved : { settings, version: settingsVersion };
}

/** Those of another rank, or of weeks instead of days, were saved for something else. */
function isForTheSame(kind: RunRow['kind'], saved: unknown, its: unknown) {
  if (kind === 'rank-bonus') return RankBonus.parse(saved).rank === RankBonus.parse(its).rank;
  if (kind === 'gmp-distro') return GmpDistribution.parse(saved).frequency === GmpDistribution.parse(its).frequency;
  return true;
}
