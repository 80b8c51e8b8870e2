import { type Asset, writeAmount } from './core/money.ts';
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

/** A line of a plan, with the settings and inputs that it was made from, as they are stored. */
export type ExplainedLine = { line: RunLine } & Pick<RunDetail, 'settings' | 'inputs'>;

type Explained = { formula: string; amount: string; rounding?: string | null; asset?: Asset };

export const explained = (name: string, { rounding = null, asset = 'USD', ...rest }: Explained): Explanation => ({
  name,
  rounding,
  asset,
  ...rest,
});

export const percent = (basisPoints: number) => `${basisPoints / 100} %`;
export const usd = (units: bigint) => writeAmount(units, 'USD');
