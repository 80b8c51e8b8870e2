import type { Database, Tx } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import { runIdempotent } from './idempotency.ts';
import type { ApiKey } from './api-keys.ts';
import { isValidSecret } from './api-key-queries.ts';
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
    return once ? runIdempotent(tx, { caller: { adminId: actor.id }, once }, () => act(tx)) : act(tx);
  });
}

/**
 * Runs the transaction of a call with an API key, idempotently if the call has an idempotency key. The key is checked
 * again, because the body can arrive after it was revoked. Throws `KeyRequired` if it is no longer valid.
 */
export function inKeyTransaction<T>(database: Database, apiKey: ApiKey, act: (tx: Tx) => Promise<T>) {
  return database.transaction().execute(async (tx) => {
    if (!(await isValidSecret(tx, apiKey.secretId))) throw new Refusal('KeyRequired');
    const { once } = apiKey;
    return once ? runIdempotent(tx, { caller: { apiKeyId: apiKey.id }, once }, () => act(tx)) : act(tx);
  });
}
