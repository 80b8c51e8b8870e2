import { sql } from 'kysely';
import type { Config } from '#server/config.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import type { Actor } from './sessions.ts';

/** Returns the sessions of an administrator that have not ended: the current one, then by their last use. */
export async function selectOwnSessions(
  db: Db,
  { id, sessionId }: Pick<Actor, 'id' | 'sessionId'>,
  { idleMinutes }: Pick<Config['session'], 'idleMinutes'>,
) {
  const sessions = await db
    .selectFrom('session')
    .select(['id', 'device', 'network', 'createdAt', 'lastUsedAt'])
    .where('adminId', '=', id)
    .where('endsAt', '>', sql<Date>`now()`)
    .where('lastUsedAt', '>', sql<Date>`now() - make_interval(mins => ${idleMinutes})`)
    .orderBy('lastUsedAt', 'desc')
    .execute();
  const marked = sessions.map((session) => ({ ...session, current: session.id === sessionId }));
  return marked.toSorted((one, other) => Number(other.current) - Number(one.current));
}

/** Ends one session of the caller. Throws `SessionNotFound` if it has ended, or belongs to somebody else. */
export async function endOwnSession(tx: Tx, actor: Actor, sessionId: string) {
  const ended = await tx
    .deleteFrom('session')
    .where('id', '=', sessionId)
    .where('adminId', '=', actor.id)
    .returning(['device', 'network'])
    .executeTakeFirst();
  if (!ended) throw new Refusal('SessionNotFound');
  await announce(tx, { feature: 'auth', id: actor.id });
  await recordAudit(tx, { actorId: actor.id, action: 'auth.revoke-session', details: ended });
}

/** Ends all sessions of the caller but the current one, and returns how many that were. */
export async function endOtherSessions(tx: Tx, actor: Actor) {
  const { numDeletedRows } = await tx
    .deleteFrom('session')
    .where('adminId', '=', actor.id)
    .where('id', '!=', actor.sessionId)
    .executeTakeFirstOrThrow();
  const ended = Number(numDeletedRows);
  if (ended === 0) return 0;
  await announce(tx, { feature: 'auth', id: actor.id });
  await recordAudit(tx, { actorId: actor.id, action: 'auth.revoke-other-sessions', details: { ended } });
  return ended;
}
