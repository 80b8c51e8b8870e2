import { z } from 'zod';
import { rule } from './core/field-errors.ts';

export type Frequency = z.output<typeof Frequency>;
export const Frequency = z.enum(['Daily', 'Weekly', 'Monthly']);

export const UtcOffset = z.number().min(-12).max(14).multipleOf(0.25);
export const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, rule('must be written HH:mm'));
/** 1 is Monday, 7 is Sunday. */
export const Weekday = z.int().min(1).max(7);

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** A local time on every day, one weekday, or the first of the month, at an offset from UTC. */
export type Recurrence = {
  frequency: Frequency;
  time: z.output<typeof TimeOfDay>;
  weekday: z.output<typeof Weekday>;
  utcOffset: z.output<typeof UtcOffset>;
};

/** Returns the next `count` occurrences strictly after `from`. */
export function nextRuns({ frequency, time, weekday, utcOffset }: Recurrence, from: Date, count: number): Date[] {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const offsetMs = utcOffset * 60 * minuteMs;
  const localNow = new Date(from.getTime() + offsetMs);
  const midnight = Date.UTC(localNow.getUTCFullYear(), localNow.getUTCMonth(), localNow.getUTCDate());
  const runs: Date[] = [];
  // Occurrences are at most 31 days apart, so this many days are enough for `count` of them.
  for (let day = 0; runs.length < count && day <= 31 * (count + 1); day += 1) {
    const local = new Date(midnight + day * dayMs);
    if (!isDue(local, { frequency, weekday })) continue;
    const run = new Date(local.getTime() + (hours * 60 + minutes) * minuteMs - offsetMs);
    if (run > from) runs.push(run);
  }
  return runs;
}

function isDue(local: Date, { frequency, weekday }: Pick<Recurrence, 'frequency' | 'weekday'>) {
  if (frequency === 'Weekly') return (local.getUTCDay() || 7) === weekday;
  return frequency === 'Daily' || local.getUTCDate() === 1;
}
