import type { InvalidateQueryFilters, QueryClient } from '@tanstack/react-query';
import { replayedMs, streamEvents } from 'contract/events.ts';
import { call } from './call.ts';

const firstDelayMs = 500;
const longestDelayMs = 30_000;

/** Half of the delay is random, so that not all panels reconnect to a restarted server at the same time. */
function delayAfter(failures: number) {
  const ceiling = Math.min(longestDelayMs, firstDelayMs * 2 ** failures);
  return ceiling / 2 + (Math.random() * ceiling) / 2;
}

function pause(ms: number, signal: AbortSignal) {
  return new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    // Resumes immediately when the browser is back online or when live updates are stopped.
    const resume = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', resume, { once: true });
    window.addEventListener('online', resume, { once: true, signal });
  });
}

/** Refetches the data that other administrators change. Returns a function that stops it. */
export function followChanges(queryClient: QueryClient) {
  const stopping = new AbortController();
  void follow(queryClient, stopping.signal);
  return () => stopping.abort();
}

const calmMs = 400;

/**
 * The other features whose queries a change of one feature affects: the signals of a withdrawal and of its request come
 * from its user, a payment changes the figures of its owner, and job settings decide when a run is due and who would be
 * promoted.
 */
const alsoRefetched: Record<string, readonly string[]> = {
  auth: ['security'],
  users: ['withdrawals', 'approvals'],
  jobs: ['runs', 'users'],
  tasks: ['ledger', 'users'],
  withdrawals: ['ledger', 'users', 'approvals'],
  approvals: ['withdrawals', 'tasks', 'runs', 'jobs', 'admins', 'referrals', 'staking', 'users'],
};

/**
 * A run announces changes several times a second for minutes, and a report or repair of the tree nearly as often. The
 * features they affect are only marked as stale, and refetched when they are next used.
 */
const alsoMarkedStale: Record<string, readonly string[]> = {
  runs: ['ledger', 'users', 'staking'],
  referrals: ['users'],
};

/**
 * A query that waits for its first response keeps that response even if it is invalidated in the meantime. The server
 * may have read it before the change, so such a query is invalidated again afterwards.
 */
function invalidate(queryClient: QueryClient, filters: InvalidateQueryFilters = {}) {
  const waiting = queryClient.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' });
  for (const { state, promise, queryKey } of waiting) {
    if (state.data !== undefined) continue;
    promise?.then(
      () => queryClient.invalidateQueries({ queryKey, exact: true }),
      // A failed query has no data that could be outdated.
      () => undefined,
    );
  }
  void queryClient.invalidateQueries(filters);
}

function refresh(queryClient: QueryClient, feature: string) {
  invalidate(queryClient, { queryKey: [feature] });
  for (const touched of alsoMarkedStale[feature] ?? [])
    void queryClient.invalidateQueries({ queryKey: [touched], refetchType: 'none' });
}

/** Refreshes immediately, then at most every `calmMs`, so that many changes in a row cause few requests. */
function refresher(queryClient: QueryClient) {
  const waiting = new Set<string>();
  let calm = true;
  const flush = () => {
    calm = waiting.size === 0;
    if (calm) return;
    // A change of `events` itself means that some events were lost.
    if (waiting.has('events')) invalidate(queryClient);
    else for (const feature of waiting) refresh(queryClient, feature);
    waiting.clear();
    setTimeout(flush, calmMs);
  };
  return (feature: string) => {
    for (const touched of [feature, ...(alsoRefetched[feature] ?? [])]) waiting.add(touched);
    if (calm) flush();
  };
}

/** The server replays changes for twice as long, which allows for slow responses. */
const recentMs = replayedMs / 2;

/** Returns whether all cached data is so recent that the stream replays every change since. */
function isRecent(queryClient: QueryClient, started: number) {
  const answered = queryClient.getQueryCache().getAll();
  const timestamps = answered.map(({ state }) => state.dataUpdatedAt).filter((timestamp) => timestamp > 0);
  return Date.now() - Math.min(started, ...timestamps) < recentMs;
}

async function follow(queryClient: QueryClient, signal: AbortSignal) {
  const refreshFeature = refresher(queryClient);
  const started = Date.now();
  let wasConnected = false;
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      const changes = await call(streamEvents, {}, signal);
      failures = 0;
      // It is unknown for how long an ended stream had missed changes.
      if (wasConnected || !isRecent(queryClient, started)) invalidate(queryClient);
      wasConnected = true;
      for await (const { feature } of changes) refreshFeature(feature);
    } catch (cause) {
      if (!signal.aborted) console.info('Live updates are interrupted', cause);
    }
    if (!signal.aborted) await pause(delayAfter(failures), signal);
  }
}
