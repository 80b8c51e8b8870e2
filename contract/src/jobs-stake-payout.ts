import { z } from 'zod';
import { parseAmount, Percentage } from './core/money.ts';
import { type ExplainedLine, type Explanation, explained, percent, usd } from './explanation.ts';
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
  const lost = (amount * BigInt(line.rate) * BigInt(share)) % 100_000_000n;
  const rounding =
    lost === 0n ? null : `rounded down by 0.${String(lost).padStart(8, '0').replace(/0+$/, '')} of 0.000001 USD`;
  return { formula: `${line.input} USD × ${percent(line.rate)} × ${percent(share)}`, rounding };
}

export function explainStakePayout({ line, settings }: ExplainedLine): Explanation[] {
  const shares = StakePayout.parse(settings);
  const amount = parseAmount(line.input, 'USD');
  const { base, bonus, loyalty } = stakeDay({ amount, rate: line.rate, ranked: line.ranked, shares });
  // A stake that is completed after its last day earns nothing on the day of its completion.
  const late = line.completes && [line.base, line.bonus, line.loyalty].every((part) => parseAmount(part, 'USD') === 0n);
  const closing = parseAmount(line.closing, 'USD');
  const today = late ? 0n : loyalty;
  return [
    ...(late || base === 0n
      ? []
      : [explained('Stake reward', { ...partOfDay(line, shares.baseReward), amount: usd(base) })]),
    ...(late || bonus === 0n
      ? []
      : [explained('Stake bonus', { ...partOfDay(line, shares.bonusReward), amount: usd(bonus) })]),
    ...(late || loyalty === 0n
      ? []
      : [explained('Loyalty set aside', { ...partOfDay(line, shares.loyaltyReward), amount: usd(loyalty) })]),
    ...(closing === 0n
      ? []
      : [
          explained('Loyalty paid', {
            formula: `${usd(closing - today)} USD set aside on earlier days + ${usd(today)} USD today`,
            amount: line.closing,
          }),
        ]),
    ...(line.completes
      ? [explained('Stake returned', { formula: 'the whole stake, because it is complete', amount: line.input })]
      : []),
  ];
}
