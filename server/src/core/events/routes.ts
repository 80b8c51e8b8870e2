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

/** A timer of more milliseconds than fit 31 bits fires at once. The panel opens an ended stream again. */
const longestTimer = 2 ** 31 - 1;

const spreadMs = 1_000;

/** How long a stream may outlive a session that ended without a word: idle, or pushed out by a newer one. */
const lookAgainMs = 60_000;

/** More windows than anyone has, and few enough that one session cannot burden everyone. */
const streamsAtMost = 20;

export function eventRoutes(api: Api, { database, hub, config }: Deps) {
  const open = new Map<string, number>();
  const count = (sessionId: string, by: 1 | -1) => {
    const now = (open.get(sessionId) ?? 0) + by;
    if (now > 0) open.set(sessionId, now);
    else open.delete(sessionId);
  };

  api.stream(streamEvents, ({ actor, request }, gone) => {
    if ((open.get(actor.sessionId) ?? 0) >= streamsAtMost) throw new Refusal('TooManyStreams');
    count(actor.sessionId, 1);
    const credentials = { ...credentialsOf(request), attended: false };
    const stillThere = () => sessionLives(database, credentials, config);
    const over = new AbortController();
    const look = setInterval(() => void endWhen(over, stillThere), lookAgainMs);
    const ends = Math.max(0, actor.sessionEndsAt.getTime() - Date.now());
    const signal = AbortSignal.any([gone, over.signal, AbortSignal.timeout(Math.min(ends, longestTimer))]);
    const leave = () => {
      clearInterval(look);
      count(actor.sessionId, -1);
    };
    signal.addEventListener('abort', leave, { once: true });
    return whileSignedIn(hub.subscribe(signal), { actor, stillThere });
  });
}

/** A database that cannot answer just now says nothing about the session. */
async function endWhen(over: AbortController, stillThere: () => Promise<boolean>) {
  if (!(await stillThere().catch(() => true))) over.abort();
}

/** Whether a session lives is asked again at every word about its administrator: sign-out ends streams at once. */
async function* whileSignedIn(events: AsyncIterable<LiveEvent>, { actor, stillThere }: Watch) {
  const opened = performance.now();
  for await (const event of events) {
    const aboutSessions = event.feature === 'auth';
    if (aboutSessions && event.id !== actor.id) continue;
    // After a break everyone asks: not all at the same time. Who has just come is alone with that.
    const cameBefore = performance.now() - opened > spreadMs;
    if (event.id === null && cameBefore) await pause(Math.random() * spreadMs);
    if ((aboutSessions || event.id === null) && !(await stillThere())) return;
    yield event;
  }
}

type Watch = { actor: Actor; stillThere: () => Promise<boolean> };

async function sessionLives(database: Database, credentials: Credentials, { session }: Pick<Config, 'session'>) {
  return (await findActor(database, credentials, session)) !== undefined;
}
