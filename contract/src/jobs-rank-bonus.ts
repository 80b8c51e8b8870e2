import { z } from 'zod';
import { rule } from './core/field-errors.ts';
import { amount } from './core/money.ts';
import { type ExplainedLine, explained } from './explanation.ts';
import { settingsRead, settingsSave } from './jobs.ts';
import { Rank } from './ranks.ts';

export type RankBonus = z.output<typeof RankBonus>;
export const RankBonus = z.strictObject({
  rank: Rank,
  bonusAmount: amount('USD').refine(
    (units) => units > 0n && units <= 1_000_000_000_000n,
    rule('must be from 0.000001 to 1,000,000'),
  ),
});

/** How many weeks before the current one a missed bonus can be planned for. */
export const weeksBack = 8;

export const readRankBonus = settingsRead('rank-bonus', RankBonus);
export const saveRankBonus = settingsSave('rank-bonus', RankBonus);

export const explainRankBonus = ({ line, settings }: ExplainedLine) => [
  explained('rank-reward', {
    formula: `${line.input} USD for every holder of the rank ${RankBonus.parse(settings).rank}`,
    amount: line.input,
  }),
];
