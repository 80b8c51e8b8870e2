const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

// Hard-coded, because the browser takes about 20 ms to load its month names, which would delay the first paint.
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** "Nov", in UTC. */
export const formatMonth = (at: Date) => months[at.getUTCMonth()] ?? '';

/** "12 Nov", in UTC. */
export const formatDayAndMonth = (at: Date) => `${at.getUTCDate()} ${formatMonth(at)}`;

const formatDate = (at: Date) => `${formatDayAndMonth(at)} ${at.getUTCFullYear()}`;

/** Formats a recent time as "4 min ago", and any other as a date. */
export function relativeTime(at: Date, nowMs: number) {
  const agoMs = nowMs - at.getTime();
  // A server's clock may run a little ahead of the browser's.
  if (agoMs > -minuteMs && agoMs < minuteMs) return 'just now';
  if (agoMs >= 0 && agoMs < hourMs) return `${Math.floor(agoMs / minuteMs)} min ago`;
  if (agoMs >= 0 && agoMs < dayMs) return `${Math.floor(agoMs / hourMs)} h ago`;
  if (agoMs >= 0 && agoMs < 7 * dayMs) return daysAgo(Math.floor(agoMs / dayMs));
  const sameYear = at.getUTCFullYear() === new Date(nowMs).getUTCFullYear();
  return sameYear ? formatDayAndMonth(at) : formatDate(at);
}

const daysAgo = (days: number) => (days === 1 ? 'yesterday' : `${days} days ago`);

/** Formats a calendar day, which has no time and therefore no time zone. */
export const formatDay = (day: string) => formatDate(new Date(`${day}T00:00:00Z`));

/** "21 Nov 2026, 10:00 UTC", for a sentence. */
export const formatUtc = (at: Date) => `${formatDate(at)}, ${at.toISOString().slice(11, 16)} UTC`;

export const exactUtc = (at: Date) => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
