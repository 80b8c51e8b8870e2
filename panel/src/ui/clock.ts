import { useSyncExternalStore } from 'react';

const everyMs = 20_000;
const readers = new Set<() => void>();
let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function tick() {
  nowMs = Date.now();
  for (const read of readers) read();
}

function subscribe(read: () => void) {
  if (readers.size === 0) {
    nowMs = Date.now();
    timer = setInterval(tick, everyMs);
  }
  readers.add(read);
  return () => {
    readers.delete(read);
    if (readers.size === 0) clearInterval(timer);
  };
}

/** One timer for every relative time on the page. */
export const useNowMs = () => useSyncExternalStore(subscribe, () => nowMs);
