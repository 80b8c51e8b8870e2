import { z } from 'zod';
import { rule } from './core/field-errors.ts';
import { amount, parseAmount, Percentage, writeAmount } from './core/money.ts';
import { type ExplainedLine, explained } from './explanation.ts';
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

export function explainGmpDistribution({ line, inputs: { pool: split = '0', shares = '0' } }: ExplainedLine) {
  const pool = BigInt(split);
  const held = parseAmount(line.input, 'SHARE');
  const all = BigInt(shares);
  const paid = parseAmount(line.base, 'GMP');
  const down = all === 0n ? 0n : (pool * held) / all;
  const rounding = paid > down ? 'rounded down, plus one of the units left over from rounding' : 'rounded down';
  const exact = all === 0n || (pool * held) % all === 0n;
  return [
    explained('GMP distribution', {
      formula: `${writeAmount(pool, 'GMP')} GMP × ${line.input} of ${shares} shares`,
      rounding: exact ? null : rounding,
      amount: line.base,
      asset: 'GMP',
    }),
  ];
}
