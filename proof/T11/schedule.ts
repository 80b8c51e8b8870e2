import type { Chance } from '../processes/chance.ts';
import type { Frequency } from '../../contract/src/recurrence.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

export type Schedule = { frequency: Frequency; time: string; weekday: number; utcOffset: number };

/** Includes midnight and the minute before it, where the day changes. */
const times = ['00:00', '00:30', '02:30', '04:30', '12:00', '18:45', '23:59'];
const frequencies = ['Daily', 'Weekly', 'Daily', 'Monthly'] as const;

export function scheduleAt(utcOffset: number, place: number, chance: Chance): Schedule {
  const frequency = frequencies[place % frequencies.length] ?? 'Daily';
  return { frequency, time: chance.one(times), weekday: 1 + chance.whole(7), utcOffset };
}

/** A due time. The transfers of its run are dated on `firstDay`, the first day of the period. */
export type Occurrence = { at: Date; period: string; firstDay: string };

/** Returns the occurrences from one time to another, both included, computed independently of the product. */
export function dueBetween({ frequency, time, weekday, utcOffset }: Schedule, from: Date, upTo: Date): Occurrence[] {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const found: Occurrence[] = [];
  const firstDay = Math.floor(from.getTime() / dayMs) - 2;
  const lastDay = Math.floor(upTo.getTime() / dayMs) + 2;
  for (let day = firstDay; day <= lastDay; day += 1) {
    const at = new Date(day * dayMs + hours * hourMs + minutes * minuteMs - utcOffset * hourMs);
    const isWeekday = sinceMonday(day) + 1 === weekday;
    const date = new Date(day * dayMs).toISOString().slice(0, 10);
    const isDue = frequency === 'Daily' || (frequency === 'Weekly' ? isWeekday : date.endsWith('-01'));
    const period = { Daily: date, Weekly: isoWeek(day), Monthly: date.slice(0, 7) }[frequency];
    const monday = new Date((day - sinceMonday(day)) * dayMs).toISOString().slice(0, 10);
    const firstDay = { Daily: date, Weekly: monday, Monthly: `${date.slice(0, 7)}-01` }[frequency];
    if (isDue && at >= from && at <= upTo) found.push({ at, period, firstDay });
  }
  return found;
}

/** The number of days since Monday: the first day of 1970 was a Thursday. */
const sinceMonday = (day: number) => (((day + 3) % 7) + 7) % 7;

/** A week belongs to the year of its Thursday, and week 1 has the year's first Thursday. */
function isoWeek(day: number) {
  const thursday = day - sinceMonday(day) + 3;
  const year = new Date(thursday * dayMs).getUTCFullYear();
  let week = 1;
  for (let earlier = thursday - 7; new Date(earlier * dayMs).getUTCFullYear() === year; earlier -= 7) week += 1;
  return `${year}-W${String(week).padStart(2, '0')}`;
}
