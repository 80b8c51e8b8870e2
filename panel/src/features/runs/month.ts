import { onFirstUse } from '#panel/ui/formats.ts';

const dayMs = 86_400_000;

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const firstOf = (month: string) => Date.parse(`${month}-01T00:00:00Z`);

const monthName = onFirstUse(
  () => new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }),
);
const dayName = onFirstUse(
  () => new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' }),
);

export const monthAt = (ms: number) => dayOf(ms).slice(0, 7);

export const formatMonth = (month: string) => monthName().format(firstOf(month));

export const formatWeekday = (day: string) => dayName().format(Date.parse(day));

/** Returns the month `by` months later, or earlier if negative. */
export function monthsOn(month: string, by: number) {
  const first = new Date(firstOf(month));
  return monthAt(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + by));
}

/** Returns every day of the month in UTC. */
export function daysOf(month: string) {
  const next = firstOf(monthsOn(month, 1));
  const days: string[] = [];
  for (let day = firstOf(month); day < next; day += dayMs) days.push(dayOf(day));
  return days;
}

/** Returns the grid column of a day; Monday is 1. */
export const weekdayOf = (day: string) => new Date(day).getUTCDay() || 7;
