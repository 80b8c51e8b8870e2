import { type Asset, parseAmount } from 'contract/core/money.ts';
import type { RunLine } from 'contract/runs-lines.ts';
import type { Run } from 'contract/runs.ts';
import { Amount } from '#panel/ui/amount.tsx';
import { signedUnits } from './run-outcome.tsx';

type Paid = Pick<RunLine, 'base' | 'bonus' | 'closing' | 'isSkippedSince'>;

/** What a line pays. A payment that was skipped since the plan pays nothing. */
export const paidOf = ({ base, bonus, closing, isSkippedSince }: Paid, asset: Asset) =>
  isSkippedSince ? 0n : [base, bonus, closing].reduce((sum, amount) => sum + parseAmount(amount, asset), 0n);

type Props = { run: Pick<Run, 'asset' | 'reverses'>; line: Paid & Pick<RunLine, 'reversed'> };

/** A reversed payment is struck through, and a reversal is negative. */
export function LineAmount({ run, line }: Props) {
  const amount = <Amount units={signedUnits(paidOf(line, run.asset), run)} asset={run.asset} />;
  return line.reversed ? <s className="amount-reversed">{amount}</s> : amount;
}
