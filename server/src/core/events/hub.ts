import { type LiveEvent, replayedMs } from 'contract/events.ts';
import { listen } from '#server/core/db/listen.ts';
import type { Log } from '#server/core/log.ts';
import { channel, everything, readEvent } from './events.ts';

const longestBacklog = 500;

export type Hub = Awaited<ReturnType<typeof openHub>>;

const keyOf = ({ feature, id }: LiveEvent) => `${feature}:${id}`;

/** Keeps the latest announcements, oldest first, so that a panel receives what changed while it was loading. */
function createMemory() {
  const recent = new Map<string, { event: LiveEvent; at: number }>();
  const forget = () => {
    const oldest = performance.now() - replayedMs;
    for (const [key, { at }] of recent) if (at < oldest) recent.delete(key);
  };
  const keep = (event: LiveEvent) => {
    // Deleted first, so that the map is ordered by the last announcement of each event.
    recent.delete(keyOf(event));
    recent.set(keyOf(event), { event, at: performance.now() });
  };
  return {
    remember(event: LiveEvent) {
      keep(event);
      if (recent.size <= longestBacklog) return;
      forget();
      if (recent.size <= longestBacklog) return;
      recent.clear();
      keep(everything);
    },
    recall() {
      forget();
      return [...recent.values()].map(({ event }) => event);
    },
  };
}

/** Opens one connection that listens to announcements for all panels of this process. */
export async function openHub(url: string, log: Log) {
  const subscribers = new Set<(event: LiveEvent) => void>();
  const memory = createMemory();
  const publish = (event: LiveEvent) => {
    memory.remember(event);
    for (const subscriber of subscribers) subscriber(event);
  };
  const listener = await listen(
    { url, role: 'bursar_app', channel },
    {
      onMessage: (payload) => publish(readEvent(payload)),
      onReconnect: () => publish(everything),
      onLostConnection: (error) => log.warn({ error }, 'announcements are interrupted'),
    },
  );

  // This process does not know what was announced before it listened.
  memory.remember(everything);

  return {
    /**
     * Yields the latest announcements and then every new one, until the signal aborts. Repeated announcements of the
     * same change are merged until they are read, so that a slow reader costs little memory.
     */
    async *subscribe(signal: AbortSignal): AsyncGenerator<LiveEvent> {
      const backlog = new Map(memory.recall().map((event) => [keyOf(event), event]));
      let wake = () => {};
      const receive = (event: LiveEvent) => {
        const tooMany = backlog.size >= longestBacklog;
        if (tooMany) backlog.clear();
        const added = tooMany ? everything : event;
        backlog.set(keyOf(added), added);
        wake();
      };
      const stopWaiting = () => wake();
      signal.addEventListener('abort', stopWaiting);
      subscribers.add(receive);
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
        subscribers.delete(receive);
        signal.removeEventListener('abort', stopWaiting);
      }
    },

    stop: () => listener.stop(),
  };
}
