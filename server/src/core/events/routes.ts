import { setTimeout as pause } from 'node:timers/promises';
import { type LiveEvent, streamEvents } from 'contract/events.ts';
import type { Config } from '#server/config.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { credentialsOf } from '#server/core/http/authenticate.ts';
import { type Actor, type Credentials, findActor } from '#server/core/auth/sessions.ts';
import { Refusal } from '#server/core/refusal.ts';
import type { Hub } from './hub.ts';

type Deps = { database: Database; hub: Hub; config: Pick<Config, 'session'> };

/** A timer of more than 31 bits of milliseconds fires immediately. The panel reopens a stream that ends early. */
const longestTimer = 2 ** 31 - 1;

const spreadMs = 1_000;

/** How long a stream may outlive a session that ended without an announcement, for example because it was idle. */
const recheckMs = 60_000;

/** More windows than anyone has open, and few enough that one session cannot overload the server. */
const streamsAtMost = 20;

export function eventRoutes(api: Api, { database, hub, config }: Deps) {
  const open = new Map<string, number>();
  const count = (sessionId: string, by: 1 | -1) => {
    const now = (open.get(sessionId) ?? 0) + by;
    if (now > 0) open.set(sessionId, now);
    else open.delete(sessionId);
  };

  api.stream(streamEvents, ({ actor, request }, disconnected) => {
    if ((open.get(actor.sessionId) ?? 0) >= streamsAtMost) throw new Refusal('TooManyStreams');
    count(actor.sessionId, 1);
    const credentials = { ...credentialsOf(request), attended: false };
    const isSignedIn = () => sessionLives(database, credentials, config);
    const ended = new AbortController();
    const recheck = setInterval(() => void abortIfSignedOut(ended, isSignedIn), recheckMs);
    const ends = Math.max(0, actor.sessionEndsAt.getTime() - Date.now());
    const signal = AbortSignal.any([disconnected, ended.signal, AbortSignal.timeout(Math.min(ends, longestTimer))]);
    const release = () => {
      clearInterval(recheck);
      count(actor.sessionId, -1);
    };
    signal.addEventListener('abort', release, { once: true });
    return whileSignedIn(hub.subscribe(signal), { actor, isSignedIn });
  });
}

/** Aborts when the session has ended. A failed query does not mean that it has. */
async function abortIfSignedOut(ended: AbortController, isSignedIn: () => Promise<boolean>) {
  if (!(await isSignedIn().catch(() => true))) ended.abort();
}

/** Checks the session again at every event about its administrator, so that signing out ends streams immediately. */
async function* whileSignedIn(events: AsyncIterable<LiveEvent>, { actor, isSignedIn }: Watch) {
  const opened = performance.now();
  for await (const event of events) {
    const aboutSessions = event.feature === 'auth';
    if (aboutSessions && event.id !== actor.id) continue;
    // After a reconnect every stream checks its session, so the checks are spread out. A new stream need not wait.
    const isOlder = performance.now() - opened > spreadMs;
    if (event.id === null && isOlder) await pause(Math.random() * spreadMs);
    if ((aboutSessions || event.id === null) && !(await isSignedIn())) return;
    yield event;
  }
}

type Watch = { actor: Actor; isSignedIn: () => Promise<boolean> };

async function sessionLives(database: Database, credentials: Credentials, { session }: Pick<Config, 'session'>) {
  return (await findActor(database, credentials, session)) !== undefined;
}
