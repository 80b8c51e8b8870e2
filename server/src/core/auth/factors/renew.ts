import type { Config } from '#server/config.ts';
import type { Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { deleteSession, deleteSessions } from '../queries.ts';
import type { Factor } from '../session-seal.ts';
import { type Actor, type Client, startSession } from '../sessions.ts';

export type Renewal = { actor: Actor; client: Client; lifetime: Config['session'] };

/** Ends every session of the caller and starts a new one, because what signs them in has changed. */
export async function replaceSessions(tx: Tx, { actor, client, lifetime }: Renewal, factor: Factor | null) {
  await deleteSessions(tx, actor.id);
  await announce(tx, { feature: 'auth', id: actor.id });
  return startSession(tx, actor.id, { client, lifetime, factor });
}

/** Gives the session of the caller a new token after they proved who they are. Its absolute end stays the same. */
export async function renewSession(tx: Tx, { actor, client }: Renewal, factor: Factor | null) {
  await deleteSession(tx, actor.sessionId);
  const minutesLeft = Math.max(1, Math.floor((actor.sessionEndsAt.getTime() - Date.now()) / 60_000));
  const lifetime = { totalMinutes: minutesLeft, idleMinutes: minutesLeft };
  const session = await startSession(tx, actor.id, { client, lifetime, factor });
  await announce(tx, { feature: 'auth', id: actor.id });
  return session;
}
