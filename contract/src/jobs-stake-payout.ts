import { z } from 'zod';
import { parseAmount, Percentage } from './core/money.ts';
import {
  type Component,
  type ComponentCode,
  type Decision,
  type ExplainedLine,
  explained,
  isPlanned,
  percent,
  percentOfRate,
  usd,
} from './explanation.ts';
import { stakeDay } from './formulas.ts';
import { settingsRead, settingsSave } from './jobs.ts';
import type { Recurrence } from './recurrence.ts';
import type { RunLine } from './runs-lines.ts';

const wholeShare = 10_000;

/** Shares of a stake's daily reward. The treasury keeps what they do not use. */
export type StakePayout = z.output<typeof StakePayout>;
export const StakePayout = z
  .strictObject({
    enabled: z.boolean(),
    baseReward: Percentage,
    bonusReward: Percentage,
    loyaltyReward: Percentage,
  })
  .refine(({ baseReward, bonusReward, loyaltyReward }) => baseReward + bonusReward + loyaltyReward <= wholeShare, {
    path: ['loyaltyReward'],
    error: 'Together the three may be at most 100 percent.',
  });

export const readStakePayout = settingsRead('stake-payout', StakePayout);
export const saveStakePayout = settingsSave('stake-payout', StakePayout);

/** A payout covers one UTC day and is due when that day ends. */
export const payoutRecurrence: Recurrence = { frequency: 'Daily', time: '00:00', weekday: 1, utcOffset: 0 };

/** Explains one part of a stake's daily reward: its formula, and the fraction of a unit lost by rounding. */
function partOfDay(line: RunLine, share: number) {
  const amount = parseAmount(line.input, 'USD');
  const lost = (amount * BigInt(line.rate) * BigInt(share)) % 10_000_000_000n;
  const rounding =
    lost === 0n ? null : `rounded down by 0.${String(lost).padStart(10, '0').replace(/0+$/, '')} of 0.000001 USD`;
  return { formula: `${line.input} USD × ${percentOfRate(line.rate)} × ${percent(share)}`, rounding };
}

/** The parts of a day. A line that the plan skips has no amounts, so they are computed as if it were paid. */
function dayOf({ line, settings }: ExplainedLine) {
  const shares = StakePayout.parse(settings);
  const computed = stakeDay({ amount: parseAmount(line.input, 'USD'), rate: line.rate, ranked: line.ranked, shares });
  if (!isPlanned(line)) return { shares, ...computed };
  const stored = (amount: string) => parseAmount(amount, 'USD');
  return {
    shares,
    ...computed,
    base: stored(line.base),
    bonus: stored(line.bonus),
    loyalty: stored(line.loyalty),
  };
}

export function explainStakePayout(given: ExplainedLine): Component[] {
  const { run, line } = given;
  // A stake that is completed after its last day earns nothing on the day of its completion.
  const isLate = line.endsOn !== null && run.day > line.endsOn;
  return [...(isLate ? [lateDay(line)] : componentsOfDay(given)), ...componentsOfEnd(given)];
}

const lateDay = ({ endsOn }: RunLine) =>
  explained('stake-reward', { amount: usd(0n), decision: { code: 'after-last-day', lastDay: endsOn } });

/** A share of 0 percent is no component. One that rounds down to 0 is. */
function componentsOfDay(given: ExplainedLine): Component[] {
  const { run, line } = given;
  const { shares, base, bonus, loyalty, unranked, unshared, rounded } = dayOf(given);
  const kept = 10_000 - shares.baseReward - shares.bonusReward - shares.loyaltyReward;
  const ofShare = (share: number, code: ComponentCode, component: { units: bigint; decision: Decision }) =>
    share === 0
      ? []
      : [
          explained(code, {
            ...partOfDay(line, share),
            amount: usd(component.units),
            decision: component.decision,
          }),
        ];
  return [
    ...ofShare(shares.baseReward, 'stake-reward', { units: base, decision: { code: 'pay' } }),
    ...ofShare(shares.bonusReward, 'stake-bonus', {
      units: line.ranked ? bonus : unranked,
      decision: line.ranked ? { code: 'pay' } : { code: 'no-rank', day: run.day },
    }),
    ...ofShare(shares.loyaltyReward, 'loyalty', {
      units: loyalty,
      decision: isPaidOut(line) ? { code: 'pay-out' } : { code: 'set-aside', until: line.endsOn },
    }),
    // All of a skipped line stays in the treasury.
    ...ofShare(isPlanned(line) ? kept : 0, 'unshared', { units: unshared, decision: keep }),
    ...(isPlanned(line) && rounded > 0n ? [explained('rounding', { amount: usd(rounded), decision: keep })] : []),
  ];
}

const keep: Decision = { code: 'keep' };

const isPaidOut = ({ closing }: RunLine) => parseAmount(closing, 'USD') > 0n;

/** What a stake gets when it completes: the loyalty that was set aside for it, and the stake itself. */
function componentsOfEnd({ run, line }: ExplainedLine): Component[] {
  const closing = parseAmount(line.closing, 'USD');
  const today = parseAmount(line.loyalty, 'USD');
  // The plan does not complete the stake of a skipped line. It does so on the first day on which its owner is paid.
  const wouldComplete = !isPlanned(line) && line.skip !== 'paid' && line.endsOn !== null && line.endsOn <= run.day;
  return [
    ...(isPaidOut(line)
      ? [
          explained('loyalty-payout', {
            formula: `${usd(closing - today)} USD set aside on earlier days + ${usd(today)} USD today`,
            amount: line.closing,
          }),
        ]
      : []),
    ...(line.completes || wouldComplete
      ? [explained('stake-return', { amount: line.input, decision: { code: 'return' } })]
      : []),
  ];
}
