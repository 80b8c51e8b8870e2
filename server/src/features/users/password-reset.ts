import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import { clearPassword } from './key-reveal-queries.ts';
import { lockUser, updateFields } from './queries.ts';
import { readUser } from './service.ts';
import { recordUserChange } from './user-events.ts';

/**
 * Deletes the password of a user and signs them out. The platform owns the sign-in of its users, so it gets an event
 * and asks for a new password; no password is ever sent or stored by this.
 */
export async function resetPassword(tx: Tx, { actor, id, reason }: { actor: Actor; id: string; reason: string }) {
  if (!(await lockUser(tx, id))) throw new Refusal('UserNotFound');
  await clearPassword(tx, id);
  await updateFields(tx, id, {});
  await announce(tx, { feature: 'users', id });
  const { user } = await readUser(tx, id);
  await recordUserChange(tx, user, ['password']);
  await recordAudit(tx, { actorId: actor.id, action: 'users.reset-password', subjectId: id, details: { reason } });
  return { user };
}
