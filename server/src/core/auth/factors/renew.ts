import type { Config } from '#server/config.ts';
import type { Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import { deleteSession, deleteSessions } from '../queries.ts';
import type { Factor } from '../session-seal.ts';
import { type Actor, type Client, startSession } from '../sessions.ts';

export type Renewal = { actor: Actor; client: Client; lifetime: Config['session'] };

/** Ends every session of the caller and starts a new one, because what signs them in has changed. */
export async function replaceSessions(tx: Tx, { actor, client, lifetime }: Renewal, factor: Factor | null) {
  await endOwnSession(tx, actor);
  await deleteSessions(tx, actor.id);
  await announce(tx, { feature: 'auth', id: actor.id });
  return startSession(tx, actor.id, { client, lifetime, factor, endsAt: actor.sessionEndsAt });
}

/** Gives the session of the caller a new token after they proved who they are. Its absolute end stays the same. */
export async function renewSession(tx: Tx, { actor, client, lifetime }: Renewal, factor: Factor | null) {
  await endOwnSession(tx, actor);
  const session = await startSession(tx, actor.id, { client, lifetime, factor, endsAt: actor.sessionEndsAt });
  await announce(tx, { feature: 'auth', id: actor.id });
  return session;
}

/** Throws if the session was ended elsewhere while the call waited: it must not live on in a new one. */
async function endOwnSession(tx: Tx, { sessionId }: Actor) {
  if (!(await deleteSession(tx, sessionId))) throw new Refusal('SignInRequired');
}
