import { type RunKind, runKinds } from 'contract/run-kinds.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import { brokenConstraint, type Tx } from '#server/core/db/db.ts';
import type { Enqueue } from '#server/core/queue/queue.ts';
import { Refusal } from '#server/core/refusal.ts';
import type { DuePeriod } from '../kinds/kind.ts';
import { kinds } from '../kinds/kinds.ts';
import { refuseArchived } from '../store/archived.ts';
import { changed } from '../store/changes.ts';
import {
  insertRun,
  selectActivePayment,
  selectFirstAsOf,
  selectFreePart,
  selectSettings,
  selectVersions,
} from '../store/run-queries.ts';
import { waitForPlacedStakes } from '../store/placed-stakes.ts';
import { planTask } from '../store/task-names.ts';
import { shown } from '../store/wire.ts';
import { forPlanOf, supersedePlan } from './supersede.ts';

export type Acting = { actor: Actor; enqueue: Enqueue };
type NewRun = DuePeriod & {
  kind: RunKind;
  plannedBy: string | null;
  enqueue: Enqueue;
  /** The settings that determined the period. */
  saved: Saved;
  onlyUser?: string;
};
type Saved = { settings: unknown; version: number };

type PlanRequest = Acting & { kind: RunKind; now: Date; at?: Date | undefined };

/**
 * Plans a run for an administrator: for the period that is due now, or for the period of a time in the past, as far back
 * as the kind allows. Supersedes a plan that was not started. Refuses if nothing is due.
 */
export async function planManually(tx: Tx, { actor, enqueue, kind, now, at = now }: PlanRequest) {
  if (at > now || at < kinds[kind].plannableFrom(now)) throw new Refusal('NothingDue');
  await supersedePlan(tx, kind, forPlanOf(actor));
  const saved = await selectSettings(tx, kind, at);
  const period = await kinds[kind].periodToPay(tx, { settings: saved.settings, now: at });
  const run = await createRun(tx, { kind, plannedBy: actor.id, enqueue, saved, ...period });
  const details = { kind, period: run.period, settingsVersion: run.settingsVersion };
  await recordAudit(tx, { actorId: actor.id, action: 'runs.plan', subjectId: run.id, details });
  return { run: shown(run) };
}

/**
 * Creates a run. A period that was paid before uses the rules and facts of its first payment, however late it is paid
 * again. A partly paid period keeps the settings it was started with, for kinds with `keepsSettings`.
 */
export async function createRun(tx: Tx, { kind, plannedBy, enqueue, saved, period, day, onlyUser, ...due }: NewRun) {
  await refuseArchived(tx, day);
  const { keepsSettings, countAttempts } = kinds[kind];
  const asOf = (await selectFirstAsOf(tx, { kind, period })) ?? due.asOf;
  const activePayment = keepsSettings ? await selectActivePayment(tx, { kind, period }) : undefined;
  const { settings, version } = activePayment ?? (await settingsAt(tx, { kind, asOf, saved }));
  const isFirst = onlyUser === undefined && (await countAttempts(tx, day)) === 0;
  const part = isFirst ? 0 : await selectFreePart(tx, { kind, period });
  const { asset } = runKinds[kind];
  const run = { kind, period, day, part, asset, settings, settingsVersion: version, asOf, plannedBy };
  return insertPlanning(tx, enqueue, onlyUser === undefined ? run : { ...run, onlyUser });
}

/** Returns the highest version that applied at a time and is meant for the same payments as the given settings. */
async function settingsAt(tx: Tx, { kind, asOf, saved }: { kind: RunKind; asOf: Date; saved: Saved }): Promise<Saved> {
  const versions = await selectVersions(tx, kind);
  return (
    versions.findLast(
      ({ settings, effectiveFrom }) => effectiveFrom < asOf && kinds[kind].isForSamePayments(settings, saved.settings),
    ) ?? saved
  );
}

export async function insertPlanning(tx: Tx, enqueue: Enqueue, run: Parameters<typeof insertRun>[1]) {
  await waitForPlacedStakes(tx);
  const id = await insertRun(tx, run).catch((error: unknown) => {
    throw brokenConstraint(error) === 'run_of_a_kind_at_a_time' ? new Refusal('RunUnderWay') : error;
  });
  await enqueue(tx, planTask.name, id);
  return changed(tx, id);
}
