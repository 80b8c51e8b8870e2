import type { Reason } from 'contract/runs-reasons.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { lockRun, type RunRow, selectLive, updateRun, waitForEndedRuns } from '../store/run-queries.ts';

type Successor = { actorId: string | null; why: Reason };

export const forPlanOf = ({ id, username }: Actor): Successor => ({
  actorId: id,
  why: { code: 'superseded', params: { by: username } },
});

export const forTheSchedule: Successor = { actorId: null, why: { code: 'superseded', params: { by: null } } };

/**
 * Supersedes a plan that was not started: only one run of a kind may be open. A concurrent start wins. Waits for the
 * payments of ended runs, which the next plan must know.
 */
export async function supersedePlan(tx: Tx, kind: RunRow['kind'], { actorId, why }: Successor) {
  await waitForEndedRuns(tx);
  const live = await selectLive(tx, kind);
  const locked = live && (await lockRun(tx, live.id));
  if (locked?.state !== 'planned') return;
  const { id, period, state } = locked;
  const after = await updateRun(tx, locked, { event: 'supersede', why });
  await announce(tx, { feature: 'runs', id });
  const details = { kind, period, why, before: { state }, after: { state: after } };
  await recordAudit(tx, { actorId, action: 'runs.cancel', subjectId: id, details });
}
