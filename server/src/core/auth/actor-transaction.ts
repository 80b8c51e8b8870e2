import type { Database, Tx } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import { runIdempotent } from './idempotency.ts';
import { hasSession } from './queries.ts';
import type { Actor } from './sessions.ts';

/**
 * The transaction in which an administrator does something. The door looked before the body of the request
 * had arrived, and that can take its time: whoever was signed out, narrowed or deleted meanwhile acts no more.
 */
export function inActorTransaction<T>(database: Database, actor: Actor, act: (tx: Tx) => Promise<T>) {
  return database.transaction().execute(async (tx) => {
    if (!(await hasSession(tx, actor.sessionId))) throw new Refusal('SignInRequired');
    const { once } = actor;
    return once ? runIdempotent(tx, { adminId: actor.id, once }, () => act(tx)) : act(tx);
  });
}
