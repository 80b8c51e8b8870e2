import { LiveEvent, replayedMs } from 'contract/events.ts';
import { listen } from '#server/core/db/listen.ts';
import type { Log } from '#server/core/log.ts';
import { channel } from './events.ts';

/** Everything may have changed: said after a break, and in place of a backlog nobody should have to read. */
const everything: LiveEvent = { feature: 'events', id: null };
const longestBacklog = 500;

export type Hub = Awaited<ReturnType<typeof openHub>>;

/** A newer process may announce what this one has never heard of: then all it knows is that something changed. */
function readEvent(payload: string): LiveEvent {
  try {
    return LiveEvent.parse(JSON.parse(payload));
  } catch {
    return everything;
  }
}

const keyOf = ({ feature, id }: LiveEvent) => `${feature}:${id}`;

/** The latest announcements, oldest first, so that a panel hears what changed while it was loading. */
function createMemory() {
  const heard = new Map<string, { event: LiveEvent; at: number }>();
  const forget = () => {
    const oldest = performance.now() - replayedMs;
    for (const [key, { at }] of heard) if (at < oldest) heard.delete(key);
  };
  const keep = (event: LiveEvent) => {
    // Set anew, so that the order stays that of the last time each was said.
    heard.delete(keyOf(event));
    heard.set(keyOf(event), { event, at: performance.now() });
  };
  return {
    remember(event: LiveEvent) {
      keep(event);
      if (heard.size <= longestBacklog) return;
      forget();
      if (heard.size <= longestBacklog) return;
      heard.clear();
      keep(everything);
    },
    recall() {
      forget();
      return [...heard.values()].map(({ event }) => event);
    },
  };
}

/** One ear on the database for all panels of this process. */
export async function openHub(url: string, log: Log) {
  const subscribers = new Set<(event: LiveEvent) => void>();
  const memory = createMemory();
  const tell = (event: LiveEvent) => {
    memory.remember(event);
    for (const subscriber of subscribers) subscriber(event);
  };
  const ear = await listen(
    { url, role: 'bursar_app', channel },
    {
      onMessage: (payload) => tell(readEvent(payload)),
      onReconnect: () => tell(everything),
      onLostConnection: (error) => log.warn({ error }, 'announcements are interrupted'),
    },
  );

  // What was said before is known to nobody here.
  memory.remember(everything);

  return {
    /** Starts with what was said just before. The same change said twice before it is read is one change, so a slow reader costs little. */
    async *subscribe(signal: AbortSignal): AsyncGenerator<LiveEvent> {
      const backlog = new Map(memory.recall().map((event) => [keyOf(event), event]));
      let wake = () => {};
      const hear = (event: LiveEvent) => {
        const tooMany = backlog.size >= longestBacklog;
        if (tooMany) backlog.clear();
        const heard = tooMany ? everything : event;
        backlog.set(keyOf(heard), heard);
        wake();
      };
      const leave = () => wake();
      signal.addEventListener('abort', leave);
      subscribers.add(hear);
      try {
        while (!signal.aborted) {
          const events = [...backlog.values()];
          backlog.clear();
          yield* events;
          if (backlog.size > 0 || signal.aborted) continue;
          const { promise, resolve } = Promise.withResolvers<void>();
          wake = resolve;
          await promise;
        }
      } finally {
        subscribers.delete(hear);
        signal.removeEventListener('abort', leave);
      }
    },

    stop: () => ear.stop(),
  };
}
