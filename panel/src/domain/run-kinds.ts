import type { JobName, RunKind } from 'contract/run-kinds.ts';
import type { Noun } from '#panel/ui/table/view.ts';
import { formatDay } from '#panel/ui/time-text.ts';

type RunKindText = {
  /** What a user gets from it, within a sentence. */
  payment: string;
  /** Formats the period of a run: "14 Nov 2026", "Week 46 of 2026, Silver", or the time of a check. */
  formatPeriod: (period: string) => string;
  settingsPath: `/dashboard/settings/cronjobs/${RunKind}`;
  /** The noun for periods missed while the schedule is on hold; used only for kinds that have a schedule. */
  missed: Noun;
};

const formatWeek = (period: string) => period.replace(/^(\d{4})-W0?(\d+)/, 'Week $2 of $1');

function formatDistributionPeriod(period: string) {
  if (/^\d{4}-\d\d$/.test(period)) return formatDay(`${period}-01`).replace(/^\S+ /, '');
  return period.includes('W') ? formatWeek(period) : formatDay(period);
}

const formatCheckTime = (period: string) =>
  period.replace(/^(\S+) (\d\d:\d\d).*$/, (_, day: string, time: string) => `${formatDay(day)}, ${time} UTC`);

const moreDue: Noun = { one: 'more missed', many: 'more missed' };

export const runKindText: Record<RunKind, RunKindText> = {
  'stake-payout': {
    payment: 'stake payout',
    formatPeriod: formatDay,
    settingsPath: '/dashboard/settings/cronjobs/stake-payout',
    missed: { one: 'day unpaid', many: 'days unpaid' },
  },
  'gmp-distro': {
    payment: 'GMP distribution',
    formatPeriod: formatDistributionPeriod,
    settingsPath: '/dashboard/settings/cronjobs/gmp-distro',
    missed: moreDue,
  },
  'referral-check': {
    payment: 'referral bonus',
    formatPeriod: formatCheckTime,
    settingsPath: '/dashboard/settings/cronjobs/referral-check',
    missed: moreDue,
  },
  'rank-bonus': {
    payment: 'rank bonus',
    formatPeriod: (period) => formatWeek(period).replace(/ (\S+)$/, ', $1'),
    settingsPath: '/dashboard/settings/cronjobs/rank-bonus',
    missed: moreDue,
  },
};

export const settingsPathOf = (job: JobName) =>
  job === 'rank-promotion' ? '/dashboard/settings/cronjobs/rank-promo' : runKindText[job].settingsPath;
