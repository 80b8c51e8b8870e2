import type { InvalidateQueryFilters, QueryClient } from '@tanstack/react-query';
import { replayedMs, streamEvents } from 'contract/events.ts';
import { call } from './call.ts';

const firstDelayMs = 500;
const longestDelayMs = 30_000;

/** Half of the delay is chance, so that a restarted server is not met by every panel in the same instant. */
function delayAfter(failures: number) {
  const ceiling = Math.min(longestDelayMs, firstDelayMs * 2 ** failures);
  return ceiling / 2 + (Math.random() * ceiling) / 2;
}

function pause(ms: number, signal: AbortSignal) {
  return new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    // Back online, or told to stop: either way there is nothing to wait for.
    const wake = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', wake, { once: true });
    window.addEventListener('online', wake, { once: true, signal });
  });
}

/** Asks again for whatever another administrator changed. Returns the way to stop. */
export function followChanges(queryClient: QueryClient) {
  const stopping = new AbortController();
  void follow(queryClient, stopping.signal);
  return () => stopping.abort();
}

const calmMs = 400;

/**
 * Whose queries a change of one feature touches beside its own: the signals of a withdrawal and of its request come from its user,
 * whoever moves money moves the figures of its owner, and the settings of a job say when it is due and who would be promoted.
 */
const shownToo: Record<string, readonly string[]> = {
  users: ['withdrawals', 'approvals'],
  jobs: ['runs', 'users'],
  tasks: ['ledger', 'users'],
  withdrawals: ['ledger', 'users', 'approvals'],
  approvals: ['withdrawals', 'tasks', 'runs', 'jobs', 'admins', 'referrals', 'staking'],
};

/**
 * A run pays for minutes and says so several times a second, and a report or repair of the tree nearly so: what they move
 * is asked for at the next look, not each time.
 */
const staleToo: Record<string, readonly string[]> = { runs: ['ledger', 'users', 'staking'], referrals: ['users'] };

/**
 * A query that waits for its first answer takes that answer whatever is announced meanwhile, and it may have been read
 * before the change: such a query looks once more.
 */
function invalidate(queryClient: QueryClient, filters: InvalidateQueryFilters = {}) {
  const waiting = queryClient.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' });
  for (const { state, promise, queryKey } of waiting) {
    if (state.data !== undefined) continue;
    promise?.then(
      () => queryClient.invalidateQueries({ queryKey, exact: true }),
      // Where it was not answered there is nothing that could be too old.
      () => undefined,
    );
  }
  void queryClient.invalidateQueries(filters);
}

function refresh(queryClient: QueryClient, feature: string) {
  invalidate(queryClient, { queryKey: [feature] });
  for (const touched of staleToo[feature] ?? [])
    void queryClient.invalidateQueries({ queryKey: [touched], refetchType: 'none' });
}

/** Asks again at once, and then at most so often: many changes in a row are one reason to look. */
function refresher(queryClient: QueryClient) {
  const waiting = new Set<string>();
  let calm = true;
  const flush = () => {
    calm = waiting.size === 0;
    if (calm) return;
    // Said of the events themselves, it means that some were lost.
    if (waiting.has('events')) invalidate(queryClient);
    else for (const feature of waiting) refresh(queryClient, feature);
    waiting.clear();
    setTimeout(flush, calmMs);
  };
  return (feature: string) => {
    for (const touched of [feature, ...(shownToo[feature] ?? [])]) waiting.add(touched);
    if (calm) flush();
  };
}

/** The server keeps what changed for twice as long, for answers that were slow to come. */
const recentMs = replayedMs / 2;

/** Whether everything here was answered so recently that the stream tells each change of it. */
function isRecent(queryClient: QueryClient, started: number) {
  const answered = queryClient.getQueryCache().getAll();
  const timestamps = answered.map(({ state }) => state.dataUpdatedAt).filter((timestamp) => timestamp > 0);
  return Date.now() - Math.min(started, ...timestamps) < recentMs;
}

async function follow(queryClient: QueryClient, signal: AbortSignal) {
  const tell = refresher(queryClient);
  const started = Date.now();
  let heard = false;
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      const changes = await call(streamEvents, {}, signal);
      failures = 0;
      // How long a stream that ended had been silent is unknown.
      if (heard || !isRecent(queryClient, started)) invalidate(queryClient);
      heard = true;
      for await (const { feature } of changes) tell(feature);
    } catch (cause) {
      if (!signal.aborted) console.info('Live updates are interrupted', cause);
    }
    if (!signal.aborted) await pause(delayAfter(failures), signal);
  }
}
