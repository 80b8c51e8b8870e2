import { type Frequency, GmpDistribution, RankBonus } from 'contract/jobs.ts';
import type { RunKind } from 'contract/run-kinds.ts';
import { Refusal } from '#server/core/refusal.ts';
import type { Tx } from '#server/core/db/db.ts';
import { isSettled, selectUnpaidDays } from '../store/run-queries.ts';

const dayMs = 86_400_000;

const dayOf = (moment: Date) => moment.toISOString().slice(0, 10);

/** The last day in UTC that is over. */
export const lastDay = (now: Date) => dayOf(new Date(now.getTime() - dayMs));

/** When the payout of a day is due: as soon as the day is over. */
export const dueAfter = (day: string) => new Date(Date.parse(day) + dayMs);

/** The Monday of a moment's week in UTC. */
export function mondayOf(moment: Date) {
  return dayOf(new Date(moment.getTime() - ((moment.getUTCDay() + 6) % 7) * dayMs));
}

/** The week of ISO 8601: the year of a week is that of its Thursday. */
export function weekOf(moment: Date) {
  const monday = Date.parse(mondayOf(moment));
  const thursday = new Date(monday + 3 * dayMs);
  const year = thursday.getUTCFullYear();
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * dayMs));
  return `${year}-W${String(week).padStart(2, '0')}`;
}

type Period = { period: string; day: string };

/**
 * The day, week or month at the schedule's own offset: a distribution of Tuesday 00:30 in Tokyo is one of Tuesday. What
 * was paid by hand on Thursday is not paid again by the schedule of that week's Friday.
 */
export function distributionPeriod(
  moment: Date,
  { frequency, utcOffset }: Pick<GmpDistribution, 'frequency' | 'utcOffset'>,
) {
  const local = new Date(moment.getTime() + utcOffset * 3_600_000);
  const day = dayOf(local);
  const periods: Record<Frequency, Period> = {
    Daily: { period: day, day },
    Weekly: { period: weekOf(local), day: mondayOf(local) },
    Monthly: { period: day.slice(0, 7), day: `${day.slice(0, 7)}-01` },
  };
  return periods[frequency];
}

/** What a run that is planned by hand now would pay. */
export async function periodToPay(tx: Tx, kind: RunKind, { settings, now }: { settings: unknown; now: Date }) {
  if (kind === 'stake-payout') {
    const [day] = await selectUnpaidDays(tx, lastDay(now));
    if (day === undefined) throw new Refusal('NothingDue');
    return { period: day, day };
  }
  const period = periodOf(kind, settings, now);
  if (await isSettled(tx, { kind, period: period.period })) throw new Refusal('NothingDue');
  return period;
}

function periodOf(kind: Exclude<RunKind, 'stake-payout'>, settings: unknown, now: Date): Period {
  switch (kind) {
    case 'gmp-distro':
      return distributionPeriod(now, GmpDistribution.parse(settings));
    case 'rank-bonus':
      return { period: `${weekOf(now)} ${RankBonus.parse(settings).rank}`, day: mondayOf(now) };
    case 'referral-check':
      return { period: now.toISOString().slice(0, 19).replace('T', ' '), day: dayOf(now) };
  }
}
