import { timingSafeEqual } from 'node:crypto';
import type { PermissionSet, Role } from 'contract/core/permissions.ts';
import type { Config } from '#server/config.ts';
import type { Database, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import type { Once } from './idempotency.ts';
import { deleteOldestSessions, deleteSessions, insertSession, selectSession, touchSession } from './queries.ts';
import { fingerprint, newSecret } from './secrets.ts';

export type Actor = {
  id: string;
  username: string;
  role: Role;
  permissionSet: PermissionSet | null;
  sessionId: string;
  mustChangePassword: boolean;
  sessionEndsAt: Date;
  /** Set if the call moves money and has an idempotency key. */
  once?: Once;
};

type Lifetime = Config['session'];
export type Credentials = {
  token: string | undefined;
  cookie: string | undefined;
  /** False for background requests of an unattended panel, which must not keep a session alive. */
  attended: boolean;
};

const sessionsAtMost = 5;

/** Returns the caller if the session is valid. A browser session needs both the token and the cookie. */
export async function findActor(
  database: Database,
  { token, cookie, attended }: Credentials,
  { idleMinutes }: Lifetime,
) {
  if (!token) return undefined;
  const found = await selectSession(database, fingerprint(token), idleMinutes);
  if (!found) return undefined;
  const { cookieHash, stale, endsAt, ...caller } = found;
  if (cookieHash && !(cookie && timingSafeEqual(fingerprint(cookie), cookieHash))) return undefined;
  if (stale && attended) await database.transaction().execute((tx) => touchSession(tx, caller.sessionId));
  return { ...caller, sessionEndsAt: endsAt } as Actor;
}

export type Client = { browser: boolean; network: string; device: string };

/** Starts a session with a new token. The sixth session of an administrator ends the oldest one. */
export async function startSession(
  tx: Tx,
  adminId: string,
  { client, lifetime }: { client: Client; lifetime: Lifetime },
) {
  const token = newSecret();
  const cookie = client.browser ? newSecret() : undefined;
  await insertSession(tx, {
    adminId,
    tokenHash: fingerprint(token),
    cookieHash: cookie === undefined ? null : fingerprint(cookie),
    network: client.network,
    device: client.device,
    totalMinutes: lifetime.totalMinutes,
  });
  const { numDeletedRows } = await deleteOldestSessions(tx, adminId, sessionsAtMost);
  if (numDeletedRows > 0n) await announce(tx, { feature: 'auth', id: adminId });
  return { token, cookie };
}

/** Ends all sessions of an administrator from the next call on. The announcement ends their open streams. */
export async function endSessions(tx: Tx, adminId: string) {
  await deleteSessions(tx, adminId);
  await announce(tx, { feature: 'auth', id: adminId });
}
