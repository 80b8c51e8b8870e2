import type { Run } from 'contract/runs.ts';
import { runTitle } from 'contract/run-kinds.ts';
import { sayDay } from '#panel/ui/time-words.ts';

/** "14 Nov 2026", "Week 46 of 2026, Silver", or the moment of a check. */
export function sayPeriod({ kind, period }: Pick<Run, 'kind' | 'period'>) {
  switch (kind) {
    case 'stake-payout':
      return sayDay(period);
    case 'gmp-distro':
      if (/^\d{4}-\d\d$/.test(period)) return sayDay(`${period}-01`).replace(/^\S+ /, '');
      return period.includes('W') ? sayWeek(period) : sayDay(period);
    case 'rank-bonus':
      return sayWeek(period).replace(/ (\S+)$/, ', $1');
    case 'referral-check':
      return period.replace(/^(\S+) (\d\d:\d\d).*$/, (_, day: string, time: string) => `${sayDay(day)}, ${time} UTC`);
  }
}

const sayWeek = (period: string) => period.replace(/^(\d{4})-W0?(\d+)/, 'Week $2 of $1');

/** "Reversal of stake payout, 14 Nov 2026": what a run is called wherever it is named in full. */
export const formatRun = (run: Pick<Run, 'kind' | 'reverses' | 'period'>) => `${runTitle(run)}, ${sayPeriod(run)}`;
