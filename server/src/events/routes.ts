import { type LiveEvent, streamEvents } from 'contract/events.ts';
import type { Config } from '#server/config.ts';
import type { Database } from '#server/db/db.ts';
import type { Api } from '#server/http/api.ts';
import { credentialsOf } from '#server/http/door.ts';
import { type Actor, type Credentials, findActor } from '#server/auth/sessions.ts';
import type { Hub } from './hub.ts';

type Means = { database: Database; hub: Hub; config: Pick<Config, 'session'> };

/** A timer of more milliseconds than fit 31 bits fires at once. The panel opens an ended stream again. */
const longestTimer = 2 ** 31 - 1;

export function eventRoutes(api: Api, { database, hub, config }: Means) {
  api.stream(streamEvents, ({ actor, request }, gone) => {
    const credentials = { ...credentialsOf(request), attended: false };
    const sessionOver = AbortSignal.timeout(
      Math.min(Math.max(0, actor.sessionEndsAt.getTime() - Date.now()), longestTimer),
    );
    const events = hub.subscribe(AbortSignal.any([gone, sessionOver]));
    return whileSignedIn(events, { actor, stillThere: () => sessionLives(database, credentials, config) });
  });
}

/** Whether a session lives is asked again at every word about its administrator: sign-out ends streams at once. */
async function* whileSignedIn(events: AsyncIterable<LiveEvent>, { actor, stillThere }: Watch) {
  for await (const event of events) {
    const aboutSessions = event.room === 'auth';
    if (aboutSessions && event.id !== actor.id) continue;
    if ((aboutSessions || event.id === null) && !(await stillThere())) return;
    yield event;
  }
}

type Watch = { actor: Actor; stillThere: () => Promise<boolean> };

async function sessionLives(database: Database, credentials: Credentials, { session }: Pick<Config, 'session'>) {
  return (await findActor(database, credentials, session)) !== undefined;
}
