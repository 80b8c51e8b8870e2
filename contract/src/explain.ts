import { referralBonus, stakeDay } from './formulas.ts';
import type { RunKind } from './run-kinds.ts';
import { ReferralCheck, StakePayout } from './jobs.ts';
import { type Asset, readAmount, writeAmount } from './core/money.ts';
import type { RunLine } from './runs-lines.ts';
import type { RunDetail } from './runs.ts';

/** One amount of a line: how it follows from its inputs, with the numbers in it. */
export type Explanation = {
  /** Such as "Stake reward". */
  name: string;
  formula: string;
  /** What rounding down took, where it took anything. */
  rounding: string | null;
  amount: string;
  asset: Asset;
};

type Why = { kind: RunKind; line: RunLine } & Pick<RunDetail, 'settings' | 'inputs'>;

/** Every amount of a line, from the rule itself: where the two differed, one of them would be wrong. */
export function explainLine({ kind, line, settings, inputs }: Why): Explanation[] {
  if (line.skip !== null) return [];
  switch (kind) {
    case 'stake-payout':
      return explainStake(line, StakePayout.parse(settings));
    case 'gmp-distro':
      return explainDistribution(line, inputs);
    case 'referral-check':
      return explainReferral(line, ReferralCheck.parse(settings));
    case 'rank-bonus':
      return [of('Rank bonus', { formula: `${line.base} USD for every holder of the rank`, amount: line.base })];
  }
}

type Told = { formula: string; amount: string; rounding?: string | null; asset?: Asset };

const of = (name: string, { rounding = null, asset = 'USD', ...told }: Told): Explanation => ({
  name,
  rounding,
  asset,
  ...told,
});

const percent = (basisPoints: number) => `${basisPoints / 100} %`;
const usd = (units: bigint) => writeAmount(units, 'USD');

/** A part of the stake's day, and the fraction of a unit that it lost. */
function partOfDay(line: RunLine, share: number) {
  const amount = readAmount(line.input, 'USD') ?? 0n;
  const lost = (amount * BigInt(line.rate) * BigInt(share)) % 100_000_000n;
  const rounding =
    lost === 0n ? null : `rounded down by 0.${String(lost).padStart(8, '0').replace(/0+$/, '')} of 0.000001 USD`;
  return { formula: `${line.input} USD × ${percent(line.rate)} × ${percent(share)}`, rounding };
}

function explainStake(line: RunLine, shares: StakePayout): Explanation[] {
  const amount = readAmount(line.input, 'USD') ?? 0n;
  const { base, bonus, loyalty } = stakeDay({ amount, rate: line.rate, ranked: line.ranked, shares });
  // A stake that is completed later than on its last day earned nothing on that day.
  const late = line.completes && [line.base, line.bonus, line.loyalty].every((part) => readAmount(part, 'USD') === 0n);
  const closing = readAmount(line.closing, 'USD') ?? 0n;
  const today = late ? 0n : loyalty;
  return [
    ...(late || base === 0n ? [] : [of('Stake reward', { ...partOfDay(line, shares.baseReward), amount: usd(base) })]),
    ...(late || bonus === 0n
      ? []
      : [of('Stake bonus', { ...partOfDay(line, shares.bonusReward), amount: usd(bonus) })]),
    ...(late || loyalty === 0n
      ? []
      : [of('Loyalty set aside', { ...partOfDay(line, shares.loyaltyReward), amount: usd(loyalty) })]),
    ...(closing === 0n
      ? []
      : [
          of('Loyalty paid', {
            formula: `${usd(closing - today)} USD set aside on earlier days + ${usd(today)} USD today`,
            amount: line.closing,
          }),
        ]),
    ...(line.completes
      ? [of('Stake returned', { formula: 'the whole stake, for it is complete', amount: line.input })]
      : []),
  ];
}

function explainDistribution(line: RunLine, { pool: split = '0', shares = '0' }: Why['inputs']) {
  const pool = BigInt(split);
  const held = readAmount(line.input, 'SHARE') ?? 0n;
  const all = BigInt(shares);
  const paid = readAmount(line.base, 'GMP') ?? 0n;
  const down = all === 0n ? 0n : (pool * held) / all;
  const rounding =
    paid > down
      ? 'rounded down, and one of the units that rounding left over added, for it lost among the most'
      : 'rounded down';
  const exact = all === 0n || (pool * held) % all === 0n;
  return [
    of('GMP distribution', {
      formula: `${writeAmount(pool, 'GMP')} GMP × ${line.input} of ${shares} shares`,
      rounding: exact ? null : rounding,
      amount: line.base,
      asset: 'GMP',
    }),
  ];
}

function explainReferral(line: RunLine, { reward }: ReferralCheck) {
  const first = readAmount(line.input, 'USD') ?? 0n;
  const exact = (first * BigInt(reward)) % 10_000n === 0n;
  return [
    of('Referral bonus', {
      formula: `${line.input} USD, the first stake of who was referred × ${percent(reward)}`,
      rounding: exact ? null : 'rounded down to 0.000001 USD',
      amount: usd(referralBonus(first, reward)),
    }),
  ];
}
