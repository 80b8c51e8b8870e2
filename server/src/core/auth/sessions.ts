import { randomUUID } from 'node:crypto';
import type { PermissionSet, Role } from 'contract/core/permissions.ts';
import type { Config } from '#server/config.ts';
import { type Database, selectNow, type Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { fitsKeyedHash, keyedHash, keyedHashes } from '#server/core/keys.ts';
import type { Once } from './idempotency.ts';
import { deleteOldestSessions, deleteSessions, insertSession, selectSession, touchSession } from './queries.ts';
import { newSecret } from './secrets.ts';
import { type Factor, isGenuineSession, sealSession } from './session-seal.ts';

export type Actor = {
  id: string;
  username: string;
  role: Role;
  permissionSet: PermissionSet | null;
  sessionId: string;
  mustChangePassword: boolean;
  sessionEndsAt: Date;
  /** How long ago the administrator signed in, or proved again who they are. */
  sessionAgeSeconds: number;
  /** The second factor of the session. Null if the password alone was enough. */
  factor: Factor | null;
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
  const found = await selectSession(database, keyedHashes('session tokens', token), idleMinutes);
  if (!found) return undefined;
  const { tokenHash, cookieHash, createdAt, endsAt, seal, isTouchDue, ...caller } = found;
  const { factor } = caller;
  const session = { id: caller.sessionId, adminId: caller.id, tokenHash, cookieHash, createdAt, endsAt, factor, seal };
  if (!isGenuineSession(session)) return undefined;
  if (cookieHash && !(cookie && fitsKeyedHash('session tokens', cookie, cookieHash))) return undefined;
  if (isTouchDue && attended) await database.transaction().execute((tx) => touchSession(tx, caller.sessionId));
  return { ...caller, sessionEndsAt: endsAt } as Actor;
}

export type Client = { browser: boolean; network: string; device: string };

type NewSession = {
  client: Client;
  lifetime: Lifetime;
  factor?: Factor | null;
  /** The end of the session in whose place it starts. */
  endsAt?: Date;
};

/** Starts a session with a new token. The sixth session of an administrator ends the oldest one. */
export async function startSession(tx: Tx, adminId: string, { client, lifetime, factor = null, endsAt }: NewSession) {
  const token = newSecret();
  const cookie = client.browser ? newSecret() : undefined;
  const createdAt = await selectNow(tx);
  const session = {
    id: randomUUID(),
    adminId,
    tokenHash: keyedHash('session tokens', token),
    cookieHash: cookie === undefined ? null : keyedHash('session tokens', cookie),
    createdAt,
    endsAt: endsAt ?? new Date(createdAt.getTime() + lifetime.totalMinutes * 60_000),
    factor,
  };
  const { network, device } = client;
  await insertSession(tx, { ...session, network, device, seal: sealSession(session) });
  const { numDeletedRows } = await deleteOldestSessions(tx, adminId, sessionsAtMost);
  if (numDeletedRows > 0n) await announce(tx, { feature: 'auth', id: adminId });
  return { token, cookie };
}

/** Ends all sessions of an administrator from the next call on. The announcement ends their open streams. */
export async function endSessions(tx: Tx, adminId: string) {
  await deleteSessions(tx, adminId);
  await announce(tx, { feature: 'auth', id: adminId });
}
