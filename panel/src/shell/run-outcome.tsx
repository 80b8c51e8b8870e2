import { readAmount } from 'contract/money.ts';
import type { RunState } from 'contract/run-states.ts';
import type { ListedRun, Run } from 'contract/runs.ts';
import { Amount, type Money, moneyIn } from '#panel/ui/amount.tsx';
import { sayCount } from '#panel/ui/table/view.ts';

/** What the plan gives to people: what the day earned them, and the loyalty that is released. */
export const plannedUnits = ({ pays, releases, asset }: Pick<Run, 'pays' | 'releases' | 'asset'>) =>
  (readAmount(pays, asset) ?? 0n) + (readAmount(releases, asset) ?? 0n);

/** What the table aligns: nothing while there is no plan. */
export const plannedMoney = (run: Run): Money | undefined =>
  run.planHash === null ? undefined : { units: plannedUnits(run), asset: run.asset };

/** Until its plan stands, what it comes to is not nothing but unknown. */
export function Planned({ run }: { run: Run }) {
  return run.planHash !== null && <Amount units={plannedUnits(run)} asset={run.asset} />;
}

const notBegun: readonly RunState[] = ['planning', 'planned', 'waiting'];

export const paidMoney = ({ paid, asset }: ListedRun) => moneyIn({ amount: paid, asset });

/** What really moved, whatever was planned. */
export function Paid({ run }: { run: ListedRun }) {
  const { state } = run;
  const { units, asset } = paidMoney(run);
  if (units > 0n || state === 'completed') return <Amount units={units} asset={asset} />;
  return <span className="amount-none">{notBegun.includes(state) ? 'Not paid yet' : 'Not paid'}</span>;
}

/** "1,204", or "400 of 1,204" while not all of them were paid. */
export function sayRecipients({ lines, skipped, paidLines, planHash }: ListedRun) {
  const planned = lines - skipped;
  if (planHash === null) return '';
  return paidLines === planned ? sayCount(planned) : `${sayCount(paidLines)} of ${sayCount(planned)}`;
}
