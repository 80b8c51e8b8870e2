import { z } from 'zod';
import { parseAmount, Percentage } from './core/money.ts';
import { type ExplainedLine, explained, isPlanned, percent, usd } from './explanation.ts';
import { referralBonus } from './formulas.ts';
import { settingsRead, settingsSave } from './jobs.ts';

export type ReferralCheck = z.output<typeof ReferralCheck>;
export const ReferralCheck = z.strictObject({
  /** In days. */
  period: z.int().min(1).max(3_650),
  /** The sponsor's share of a first stake. */
  reward: Percentage,
});

export const readReferralCheck = settingsRead('referral-check', ReferralCheck);
export const saveReferralCheck = settingsSave('referral-check', ReferralCheck);

export function explainReferralCheck({ line, settings }: ExplainedLine) {
  const { reward } = ReferralCheck.parse(settings);
  const first = parseAmount(line.input, 'USD');
  const exact = (first * BigInt(reward)) % 10_000n === 0n;
  return [
    explained('referral-reward', {
      // A referred user without a stake has no first stake to calculate with.
      ...(first > 0n && { formula: `${line.input} USD, the referred user’s first stake × ${percent(reward)}` }),
      rounding: exact ? null : 'rounded down to 0.000001 USD',
      amount: isPlanned(line) ? line.base : usd(referralBonus(first, reward)),
    }),
  ];
}
