import type { Plan, Stake } from 'contract/staking.ts';

const dayMs = 86_400_000;

/** Basis points as people say them: 15 is "0.15 %". */
export const formatRate = (basisPoints: number) => `${(basisPoints / 100).toFixed(2)} %`;

export const formatDays = (days: number) => `${days} ${days === 1 ? 'day' : 'days'}`;

export const formatPlan = ({ days, dailyRate }: Pick<Plan, 'days' | 'dailyRate'>) =>
  `${formatDays(days)} at ${formatRate(dailyRate)} a day`;

/** Rounded down, as every reward is. */
export const earnedADay = ({ amount, dailyRate }: Pick<Stake, 'amount' | 'dailyRate'>) =>
  (amount * BigInt(dailyRate)) / 10_000n;

/** Whole days of the duration that are over; all of them once it is completed. */
export function daysPassed({ date, duration, status }: Pick<Stake, 'date' | 'duration' | 'status'>, nowMs: number) {
  const days = Number.parseInt(duration, 10);
  const passed = Math.floor((nowMs - date.getTime()) / dayMs);
  return { days, passed: status === 'Completed' ? days : Math.min(days, Math.max(0, passed)) };
}
