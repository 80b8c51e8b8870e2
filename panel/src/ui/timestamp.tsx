import { useNowMs } from './clock.ts';
import { exactUtc, relativeTime } from './time-text.ts';

export function Timestamp({ at }: { at: Date }) {
  const nowMs = useNowMs();
  return (
    <time dateTime={at.toISOString()} title={exactUtc(at)}>
      {relativeTime(at, nowMs)}
    </time>
  );
}
