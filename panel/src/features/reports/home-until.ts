const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** "in 5 h 12 min": how long until a future time. */
export function formatUntil(at: Date, nowMs: number) {
  const leftMs = at.getTime() - nowMs;
  if (leftMs < minuteMs) return 'within a minute';
  const [days, hours, minutes] = [
    Math.floor(leftMs / dayMs),
    Math.floor((leftMs % dayMs) / hourMs),
    Math.floor((leftMs % hourMs) / minuteMs),
  ];
  const parts = days > 0 ? [part(days, 'd'), part(hours, 'h')] : [part(hours, 'h'), part(minutes, 'min')];
  return `in ${parts.filter((words) => words !== '').join(' ')}`;
}

const part = (figure: number, unit: string) => (figure === 0 ? '' : `${figure} ${unit}`);
