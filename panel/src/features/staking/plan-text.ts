import type { Plan, Stake } from 'contract/staking.ts';

const dayMs = 86_400_000;

const percents = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 });

/** Formats parts per million as a percentage with two to four decimals: 1,500 is "0.15%". */
export const formatRate = (partsPerMillion: number) => `${percents.format(partsPerMillion / 10_000)}%`;

/** Returns the rate of a year of 365 days, without compound interest. */
export const yearlyRate = (dailyRate: number) => `${percents.format((dailyRate * 365) / 10_000)}%`;

export const formatDays = (days: number) => `${days} ${days === 1 ? 'day' : 'days'}`;

export const formatPlan = ({ days, dailyRate }: Pick<Plan, 'days' | 'dailyRate'>) =>
  `${formatDays(days)} at ${formatRate(dailyRate)} a day`;

/** Returns the reward of one day, rounded down like every reward. */
export const earnedADay = ({ amount, dailyRate }: Pick<Stake, 'amount' | 'dailyRate'>) =>
  (amount * BigInt(dailyRate)) / 1_000_000n;

/** Returns the whole days that have passed. All days of a completed stake have passed. */
export function daysPassed({ date, duration, status }: Pick<Stake, 'date' | 'duration' | 'status'>, nowMs: number) {
  const days = Number.parseInt(duration, 10);
  const passed = Math.floor((nowMs - date.getTime()) / dayMs);
  return { days, passed: status === 'Completed' ? days : Math.min(days, Math.max(0, passed)) };
}
