import type { GmpDistribution } from 'contract/jobs-gmp-distro.ts';
import type { Frequency } from 'contract/recurrence.ts';
import type { RunKind } from 'contract/run-kinds.ts';
import type { Tx } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import { isFullyPaid } from '../store/run-queries.ts';
import type { DuePeriod, Period } from './kind.ts';

const dayMs = 86_400_000;

export const dayOf = (timestamp: Date) => timestamp.toISOString().slice(0, 10);

/** The last day in UTC that is over. */
export const lastDay = (now: Date) => dayOf(new Date(now.getTime() - dayMs));

/** When the payout of a day is due: as soon as the day is over. */
export const dueAfter = (day: string) => new Date(Date.parse(day) + dayMs);

/** The Monday of a timestamp's week in UTC. */
export function mondayOf(timestamp: Date) {
  return dayOf(new Date(timestamp.getTime() - ((timestamp.getUTCDay() + 6) % 7) * dayMs));
}

/** The week of ISO 8601: the year of a week is that of its Thursday. */
export function weekOf(timestamp: Date) {
  const monday = Date.parse(mondayOf(timestamp));
  const thursday = new Date(monday + 3 * dayMs);
  const year = thursday.getUTCFullYear();
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * dayMs));
  return `${year}-W${String(week).padStart(2, '0')}`;
}

/**
 * Returns the day, week or month at the schedule's own UTC offset: Tuesday 00:30 in Tokyo belongs to Tuesday. A week
 * that an administrator pays on Thursday is not paid again by the schedule on Friday.
 */
export function distributionPeriod(
  timestamp: Date,
  { frequency, utcOffset }: Pick<GmpDistribution, 'frequency' | 'utcOffset'>,
) {
  const local = new Date(timestamp.getTime() + utcOffset * 3_600_000);
  const day = dayOf(local);
  const periods: Record<Frequency, Period> = {
    Daily: { period: day, day },
    Weekly: { period: weekOf(local), day: mondayOf(local) },
    Monthly: { period: day.slice(0, 7), day: `${day.slice(0, 7)}-01` },
  };
  return periods[frequency];
}

/** Refuses a period that is fully paid. */
export async function refusePaid(tx: Tx, kind: RunKind, period: DuePeriod) {
  if (await isFullyPaid(tx, { kind, period: period.period })) throw new Refusal('NothingDue');
  return period;
}
