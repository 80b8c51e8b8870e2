import { parseAmount } from 'contract/core/money.ts';
import type { RunState } from 'contract/run-states.ts';
import type { ListedRun, Run } from 'contract/runs.ts';
import { Amount, type Money } from '#panel/ui/amount.tsx';
import { formatCount } from '#panel/ui/table/view.ts';

/** Returns what the plan pays to users: their earnings, and the loyalty that is released. */
export const plannedUnits = ({ pays, releases, asset }: Pick<Run, 'pays' | 'releases' | 'asset'>) =>
  parseAmount(pays, asset) + parseAmount(releases, asset);

/** A reversal moves money the other way, so its amounts are negative beside those of payments. */
export const signedUnits = (units: bigint, { reverses }: Pick<Run, 'reverses'>) => (reverses === null ? units : -units);

/** Returns the amount that the table aligns; undefined while there is no plan. */
export const plannedMoney = (run: Run): Money | undefined =>
  run.planHash === null ? undefined : { units: signedUnits(plannedUnits(run), run), asset: run.asset };

/** Shows nothing until the run is planned, because the amount is unknown, not zero. */
export function Planned({ run }: { run: Run }) {
  return run.planHash !== null && <Amount units={signedUnits(plannedUnits(run), run)} asset={run.asset} />;
}

const notStarted: readonly RunState[] = ['planning', 'planned', 'waiting'];

export const paidMoney = ({ paid, asset, reverses }: Outcome): Money => ({
  units: signedUnits(parseAmount(paid, asset), { reverses }),
  asset,
});

type Outcome = Pick<ListedRun, 'state' | 'reversed' | 'reverses' | 'paid' | 'asset'>;

/** Shows what was actually paid, regardless of the plan. A fully reversed amount is struck out. */
export function Paid({ run }: { run: Outcome }) {
  const { state, reversed, reverses } = run;
  const { units, asset } = paidMoney(run);
  if (units !== 0n || state === 'completed') {
    const amount = <Amount units={units} asset={asset} />;
    return reversed === 'fully' ? <s className="amount-reversed">{amount}</s> : amount;
  }
  const unpaid = notStarted.includes(state) ? 'Not paid yet' : 'Not paid';
  return <span className="amount-none">{reverses === null ? unpaid : 'Not reversed'}</span>;
}

/** "1,204", or "400 of 1,204" while not all of them were paid. */
export function formatRecipients({ lines, skipped, paidLines, planHash }: ListedRun) {
  const planned = lines - skipped;
  if (planHash === null) return '';
  return paidLines === planned ? formatCount(planned) : `${formatCount(paidLines)} of ${formatCount(planned)}`;
}
