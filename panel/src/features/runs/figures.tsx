import { isOver } from 'contract/run-states.ts';
import type { RunDetail } from 'contract/runs.ts';
import type { ReactNode } from 'react';
import { AlignedAmounts } from '#panel/ui/aligned-amounts.tsx';
import { Amount, type Money, moneyIn } from '#panel/ui/amount.tsx';
import { Card } from '#panel/ui/card.tsx';
import { Status } from '#panel/ui/status.tsx';
import { formatCount } from '#panel/ui/table/view.ts';
import { plannedUnits, signedUnits } from '#panel/domain/run-outcome.tsx';
import { isBalanced, formatAmountText, sumOf } from './amounts.ts';
import './figures.css';

type Props = { detail: RunDetail };
type Row = { name: string; plan: ReactNode; result: ReactNode; part?: true };

/** Compares the plan with what was posted. */
export function RunFigures({ detail }: Props) {
  return (
    <Card title="Plan vs. result">
      <AlignedAmounts amounts={amountsIn(detail)}>
        <table className="run-table">
          <thead>
            <tr>
              <th scope="col">
                <span className="run-quiet">{detail.run.asset}</span>
              </th>
              <th scope="col">Plan</th>
              <th scope="col">Result</th>
            </tr>
          </thead>
          <tbody>
            {rowsOf(detail).map(({ name, plan, result, part }) => (
              <tr key={name} data-part={part}>
                <th scope="row">{name}</th>
                <td>{plan}</td>
                <td>{result}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </AlignedAmounts>
      <BudgetCheck detail={detail} />
    </Card>
  );
}

function amountsIn({ run, progress, kept }: RunDetail): Money[] {
  const { asset, releases, setsAside, returned, keeps } = run;
  const amounts = [
    progress.paid,
    progress.skippedSince.amount,
    progress.open.amount,
    progress.receivables.amount,
    releases,
    setsAside,
    returned,
    keeps,
    ...Object.values(kept),
  ];
  return [{ units: plannedUnits(run), asset }, ...amounts.map((amount) => moneyIn({ amount, asset }))];
}

const unknown = <span className="run-quiet">–</span>;

const keptNames = {
  unranked: 'bonus for users without a rank',
  withheld: 'of skipped users',
  unshared: 'not distributed by the settings',
  rounded: 'rounding remainder',
} as const;

function rowsOf({ run, progress, kept }: RunDetail): Row[] {
  const { asset, reverses } = run;
  const forward = reverses === null;
  const all = progress.paidChunks === progress.chunks && run.state === 'completed';
  const amountOf = (...amounts: string[]) => <Amount units={signedUnits(sumOf(amounts, asset), run)} asset={asset} />;
  // A part is unknown while some but not all chunks are posted, or if payments were skipped since the plan.
  const asPlanned = all && progress.skippedSince.lines === 0;
  const posted = (amount: string) => (asPlanned ? amountOf(amount) : progress.paidChunks === 0 ? amountOf() : unknown);
  const row = (name: string, amount: string): Row => ({ name, plan: amountOf(amount), result: posted(amount) });
  const some = (amount: string) => /[1-9]/.test(amount);
  const partsKept = (Object.keys(keptNames) as (keyof typeof keptNames)[]).filter((why) => some(kept[why]));
  return [
    {
      name: forward ? 'Payments made' : 'Payments reversed',
      plan: formatCount(run.lines - run.skipped),
      result: formatCount(progress.paidLines),
    },
    {
      name: forward ? 'Paid' : 'Reversed',
      plan: <Amount units={signedUnits(plannedUnits(run), run)} asset={asset} />,
      result: amountOf(progress.paid),
    },
    ...(progress.receivables.users > 0
      ? [
          {
            name: forward ? 'including receivables settled' : 'including receivables booked',
            plan: unknown,
            result: amountOf(progress.receivables.amount),
            part: true as const,
          },
        ]
      : []),
    ...(progress.skippedSince.lines > 0
      ? [{ name: 'Skipped since the plan', plan: unknown, result: amountOf(progress.skippedSince.amount) }]
      : []),
    ...(run.startedAt !== null && progress.open.lines > 0
      ? [{ name: openName(run), plan: unknown, result: amountOf(progress.open.amount) }]
      : []),
    ...(some(run.releases)
      ? [{ ...row(forward ? 'including loyalty released' : 'including loyalty', run.releases), part: true as const }]
      : []),
    ...(some(run.setsAside) ? [row(forward ? 'Set aside for loyalty' : 'Loyalty not set aside', run.setsAside)] : []),
    ...(some(run.returned) ? [row(forward ? 'Stakes returned' : 'Stakes locked again', run.returned)] : []),
    row(forward ? 'Stays in the treasury' : 'Not reversed', run.keeps),
    ...(forward ? partsKept.map((why) => ({ ...row(keptNames[why], kept[why]), part: true as const })) : []),
    { name: 'Transfers posted', plan: unknown, result: formatCount(progress.transfers) },
  ];
}

/** What is left of a run: still to come, or for good if the run ended before it. */
function openName({ state, reverses }: RunDetail['run']) {
  if (!isOver(state)) return 'Still open';
  return reverses === null ? 'Left unpaid' : 'Left in place';
}

/** The budget equals paid plus set aside plus kept. Released loyalty was set aside from earlier budgets. */
function BudgetCheck({ detail: { run } }: Props) {
  if (run.planHash === null) return null;
  const { asset } = run;
  const amountOf = (amount: string) => <Amount units={signedUnits(sumOf([amount], asset), run)} asset={asset} />;
  const names = termsOf(run);
  return (
    <div className="run-proof">
      <dl className="run-equation">
        <Term name="Budget">{amountOf(run.budget)}</Term>
        <Term name={names.pays} sign="=">
          {amountOf(run.pays)}
        </Term>
        <Term name={names.setsAside} sign="+">
          {amountOf(run.setsAside)}
        </Term>
        <Term name={names.keeps} sign="+">
          {amountOf(run.keeps)}
        </Term>
      </dl>
      {isBalanced(run) ? <Status tone="good">Balanced</Status> : <Status tone="bad">Not balanced</Status>}
      <Released run={run} name={names.pays} />
    </div>
  );
}

/** Uses the wording of a plan until the run is completed. */
function termsOf({ state, reverses }: RunDetail['run']) {
  const done = state === 'completed';
  return reverses === null
    ? {
        pays: done ? 'Paid from budget' : 'To pay from budget',
        setsAside: done ? 'Set aside' : 'To set aside',
        keeps: done ? 'Kept' : 'To keep',
      }
    : { pays: done ? 'Reversed from budget' : 'To reverse from budget', setsAside: 'Loyalty', keeps: 'Not reversed' };
}

/** Explains why the two paid amounts differ: released loyalty comes on top of the budget. */
function Released({ run: { releases, asset, reverses }, name }: { run: RunDetail['run']; name: string }) {
  if (!/[1-9]/.test(releases)) return null;
  const loyalty = formatAmountText(releases, asset);
  return (
    <p className="run-hint run-released">
      {reverses === null
        ? `“Paid” is ${loyalty} more than “${name}”: that is loyalty set aside on earlier days and released now, on top of the budget.`
        : `“Reversed” is ${loyalty} more than “${name}”: that is released loyalty, which was paid on top of the budget.`}
    </p>
  );
}

function Term({ name, sign, children }: { name: string; sign?: string; children: ReactNode }) {
  return (
    <div className="run-term" data-sign={sign}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
