import { type Asset, writeAmount } from './core/money.ts';
import type { RunLine } from './runs-lines.ts';
import type { RunDetail } from './runs.ts';

/** How one amount of a line was calculated: the formula with its numbers filled in. */
export type Explanation = {
  /** Such as "Stake reward". */
  name: string;
  formula: string;
  /** What was lost by rounding down. Null if nothing was. */
  rounding: string | null;
  amount: string;
  asset: Asset;
};

/** A line of a plan, with the stored settings and inputs that it was computed from. */
export type ExplainedLine = { line: RunLine } & Pick<RunDetail, 'settings' | 'inputs'>;

type Explained = { formula: string; amount: string; rounding?: string | null; asset?: Asset };

export const explained = (name: string, { rounding = null, asset = 'USD', ...rest }: Explained): Explanation => ({
  name,
  rounding,
  asset,
  ...rest,
});

export const percent = (basisPoints: number) => `${basisPoints / 100}%`;
export const usd = (units: bigint) => writeAmount(units, 'USD');
