import { z } from 'zod';
import { rule } from './core/field-errors.ts';
import { amount, parseAmount, Percentage, writeAmount } from './core/money.ts';
import { type ExplainedLine, explained, isPlanned } from './explanation.ts';
import { settingsRead, settingsSave } from './jobs.ts';
import { Frequency, TimeOfDay, UtcOffset, Weekday } from './recurrence.ts';

export type GmpDistribution = z.output<typeof GmpDistribution>;
export const GmpDistribution = z.strictObject({
  amount: amount('GMP').refine((units) => units > 0n, rule('must be more than 0')),
  frequency: Frequency,
  time: TimeOfDay,
  enabled: z.boolean(),
  weekday: Weekday,
  utcOffset: UtcOffset,
  percentage: Percentage,
});

export const readGmpDistribution = settingsRead('gmp-distro', GmpDistribution);
export const saveGmpDistribution = settingsSave('gmp-distro', GmpDistribution);

/**
 * Explains the share of a holder. A skipped holder takes no part in the split, so the share that they would have had
 * counts their own shares in addition to those of all others.
 */
export function explainGmpDistribution({ line, inputs: { pool: split = '0', shares = '0' } }: ExplainedLine) {
  const pool = BigInt(split);
  const held = parseAmount(line.input, 'SHARE');
  // The rest of a pool is split among those who were not paid from it, so who was paid has no share in it.
  if (line.skip === 'paid') return [explained('gmp-share', { amount: writeAmount(0n, 'GMP'), asset: 'GMP' })];
  const isSplit = isPlanned(line) || line.skip === 'nothing';
  const all = BigInt(shares) + (isSplit ? 0n : held);
  const down = all === 0n ? 0n : (pool * held) / all;
  const paid = isSplit ? parseAmount(line.base, 'GMP') : down;
  const rounding = paid > down ? 'rounded down, plus one of the units left over from rounding' : 'rounded down';
  const exact = all === 0n || (pool * held) % all === 0n;
  return [
    explained('gmp-share', {
      formula: `${writeAmount(pool, 'GMP')} GMP × ${line.input} of ${all} shares`,
      rounding: exact ? null : rounding,
      amount: writeAmount(paid, 'GMP'),
      asset: 'GMP',
    }),
  ];
}
