const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Formats the time left until `at`: "in 5 h 12 min". */
export function formatUntil(at: Date, nowMs: number) {
  const leftMs = at.getTime() - nowMs;
  if (leftMs < minuteMs) return 'within a minute';
  const [days, hours, minutes] = [
    Math.floor(leftMs / dayMs),
    Math.floor((leftMs % dayMs) / hourMs),
    Math.floor((leftMs % hourMs) / minuteMs),
  ];
  const parts = days > 0 ? [part(days, 'd'), part(hours, 'h')] : [part(hours, 'h'), part(minutes, 'min')];
  return `in ${parts.filter((part) => part !== '').join(' ')}`;
}

const part = (figure: number, unit: string) => (figure === 0 ? '' : `${figure} ${unit}`);
