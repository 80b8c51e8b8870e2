import { maintenanceSeconds } from 'contract/maintenance.ts';
import { useEffect, useState } from 'react';

type Window = { endsAt: Date; now: Date; receivedAtMs: number };

/** Counts down from the server's time. The viewer's clock may be wrong, but it runs at the same speed. */
export function Countdown(window: Window) {
  const seconds = useSecondsLeft(window);
  return (
    <div className="maintenance-countdown">
      <div className="maintenance-clock" role="timer" aria-label="Time left">
        {formatClock(seconds)}
      </div>
      <div className="maintenance-track" aria-hidden>
        <div className="maintenance-left" style={{ width: `${(100 * seconds) / maintenanceSeconds}%` }} />
      </div>
      <p className="maintenance-window">
        {seconds > 0
          ? `Until ${formatTime(window.endsAt)} UTC`
          : `The window ended at ${formatTime(window.endsAt)} UTC`}
      </p>
    </div>
  );
}

function useSecondsLeft({ endsAt, now, receivedAtMs }: Window) {
  const [nowMs, setNowMs] = useState(() => Date.now());
  const windowMs = endsAt.getTime() - now.getTime();
  // The response may be newer than the last tick.
  const leftMs = Math.max(0, windowMs - Math.max(0, nowMs - receivedAtMs));
  const seconds = Math.min(maintenanceSeconds, Math.ceil(leftMs / 1_000));
  useEffect(() => {
    if (seconds === 0) return undefined;
    const untilNextMs = windowMs - (Date.now() - receivedAtMs) - (seconds - 1) * 1_000;
    const timer = setTimeout(() => setNowMs(Date.now()), Math.max(0, untilNextMs));
    return () => clearTimeout(timer);
    // `nowMs` is a dependency because a timer may fire slightly early, and then the same second is waited for again.
  }, [seconds, windowMs, receivedAtMs, nowMs]);
  return seconds;
}

function formatClock(seconds: number) {
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

const formatTime = (at: Date) => at.toISOString().slice(11, 19);
