import { weeksBack } from 'contract/jobs-rank-bonus.ts';
import { formatDay } from '#panel/ui/time-text.ts';
import type { PastPeriod } from './next-run.tsx';

const dayMs = 86_400_000;

/** Returns the last weeks before the current one, the latest first. The time is the last second of each week in UTC. */
export function pastWeeks(nowMs: number): PastPeriod[] {
  const now = new Date(nowMs);
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const monday = midnight - ((now.getUTCDay() + 6) % 7) * dayMs;
  return Array.from({ length: weeksBack }, (_, back) => {
    const starts = new Date(monday - (back + 1) * 7 * dayMs).toISOString().slice(0, 10);
    return { name: `Week from ${formatDay(starts)}`, at: new Date(monday - back * 7 * dayMs - 1_000) };
  });
}
