import { vi } from 'vitest';

/** Controls `Date.now` until the test ends. Timers run normally. */
export function takeOverClock() {
  const readClock = Date.now.bind(Date);
  let aheadMs = 0;
  let stoppedAtMs: number | undefined;
  vi.spyOn(Date, 'now').mockImplementation(() => (stoppedAtMs ?? readClock()) + aheadMs);
  return {
    stop: () => {
      stoppedAtMs = readClock();
    },
    pass: (ms: number) => {
      aheadMs += ms;
    },
  };
}
