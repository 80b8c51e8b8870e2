import type { Database, Tx } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import { runIdempotent } from './idempotency.ts';
import { hasSession } from './queries.ts';
import type { Actor } from './sessions.ts';

/**
 * Runs the transaction in which an administrator acts, idempotently if the call has a key. The request guard checked
 * the session before the body arrived, so it is checked again. Throws `SignInRequired` if the administrator was signed
 * out, lost permissions or was deleted in the meantime.
 */
export function inActorTransaction<T>(database: Database, actor: Actor, act: (tx: Tx) => Promise<T>) {
  return database.transaction().execute(async (tx) => {
    if (!(await hasSession(tx, actor.sessionId))) throw new Refusal('SignInRequired');
    const { once } = actor;
    return once ? runIdempotent(tx, { adminId: actor.id, once }, () => act(tx)) : act(tx);
  });
}
