import { vi } from 'vitest';

/** Takes over what the page reads from the clock, until the test ends. Timers run as ever. */
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
