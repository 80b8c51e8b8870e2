import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { recordEvent } from '#server/core/outbox/outbox.ts';
import { lockMaintenance, selectMaintenance, updateMaintenance } from './queries.ts';

export async function readMaintenance(db: Db) {
  return { maintenance: await selectMaintenance(db) };
}

/** Switches maintenance on or off. Repeating the current state changes nothing, so the hour does not restart. */
export async function setMaintenance(tx: Tx, { actor, active }: { actor: Actor; active: boolean }) {
  const before = await lockMaintenance(tx);
  if (before.active === active) return readMaintenance(tx);

  const { endsAt } = await updateMaintenance(tx, { active, adminId: actor.id });
  const answer = await readMaintenance(tx);
  await announce(tx, { feature: 'maintenance', id: 'platform' });
  await recordEvent(tx, { type: 'maintenance.changed', subjectId: 'platform', data: { active, endsAt } });
  const details = { before, after: { active, endsAt } };
  await recordAudit(tx, { actorId: actor.id, action: 'maintenance.set', subjectId: 'platform', details });
  return answer;
}
