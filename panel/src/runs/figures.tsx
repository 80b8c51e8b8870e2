import type { RunDetail } from 'contract/runs.ts';
import type { ReactNode } from 'react';
import { AlignedAmounts } from '#panel/ui/aligned-amounts.tsx';
import { Amount, type Money, moneyIn } from '#panel/ui/amount.tsx';
import { Card } from '#panel/ui/card.tsx';
import { Status } from '#panel/ui/status.tsx';
import { sayCount } from '#panel/ui/table/view.ts';
import { plannedUnits } from '#panel/shell/run-outcome.tsx';
import { isBalanced, sumOf } from './amounts.ts';
import './figures.css';

type Props = { detail: RunDetail };
type Row = { name: string; plan: ReactNode; result: ReactNode; part?: true };

/** What was planned beside what was posted. */
export function RunFigures({ detail }: Props) {
  return (
    <Card title="Plan and result">
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
      <Proof detail={detail} />
    </Card>
  );
}

function amountsIn({ run, progress, kept }: RunDetail): Money[] {
  const { asset, releases, setsAside, returned, keeps } = run;
  const amounts = [progress.paid, releases, setsAside, returned, keeps, ...Object.values(kept)];
  return [{ units: plannedUnits(run), asset }, ...amounts.map((amount) => moneyIn({ amount, asset }))];
}

const unknown = <span className="run-quiet">–</span>;

const keptNames = {
  unranked: 'bonus of those without a rank',
  withheld: 'of those left out',
  unshared: 'not shared out by the settings',
  rounded: 'left by rounding down',
} as const;

function rowsOf({ run, progress, kept }: RunDetail): Row[] {
  const { asset, reverses } = run;
  const forward = reverses === null;
  const all = progress.paidChunks === progress.chunks && run.state === 'completed';
  const said = (...amounts: string[]) => <Amount units={sumOf(amounts, asset)} asset={asset} />;
  // A chunk is posted as it was planned or not at all: only between the first and the last is a part of it unknown.
  const posted = (amount: string) => (all ? said(amount) : progress.paidChunks === 0 ? said() : unknown);
  const row = (name: string, amount: string): Row => ({ name, plan: said(amount), result: posted(amount) });
  const some = (amount: string) => /[1-9]/.test(amount);
  const partsKept = (Object.keys(keptNames) as (keyof typeof keptNames)[]).filter((why) => some(kept[why]));
  return [
    {
      name: forward ? 'Lines paid' : 'Lines taken back',
      plan: sayCount(run.lines - run.skipped),
      result: sayCount(progress.paidLines),
    },
    {
      name: forward ? 'Paid' : 'Taken back',
      plan: <Amount units={plannedUnits(run)} asset={asset} />,
      result: said(progress.paid),
    },
    ...(some(run.releases)
      ? [{ ...row(forward ? 'of it loyalty released' : 'of it loyalty', run.releases), part: true as const }]
      : []),
    ...(some(run.setsAside) ? [row(forward ? 'Set aside for loyalty' : 'Loyalty not set aside', run.setsAside)] : []),
    ...(some(run.returned) ? [row(forward ? 'Stakes returned' : 'Stakes locked again', run.returned)] : []),
    row(forward ? 'Stays in the treasury' : 'Not taken back', run.keeps),
    ...(forward ? partsKept.map((why) => ({ ...row(keptNames[why], kept[why]), part: true as const })) : []),
    { name: 'Transfers posted', plan: unknown, result: sayCount(progress.transfers) },
  ];
}

/** Every unit of the budget is in one of the three. What is released was set aside on earlier days. */
function Proof({ detail: { run } }: Props) {
  if (run.planHash === null) return null;
  const { asset } = run;
  const said = (amount: string) => <Amount units={sumOf([amount], asset)} asset={asset} />;
  const names = termsOf(run);
  return (
    <div className="run-proof">
      <dl className="run-equation">
        <Term name="Budget">{said(run.budget)}</Term>
        <Term name={names.pays} sign="=">
          {said(run.pays)}
        </Term>
        <Term name={names.setsAside} sign="+">
          {said(run.setsAside)}
        </Term>
        <Term name={names.keeps} sign="+">
          {said(run.keeps)}
        </Term>
      </dl>
      {isBalanced(run) ? <Status tone="good">It adds up</Status> : <Status tone="bad">It does not add up</Status>}
    </div>
  );
}

/** What is not completed adds up as a plan: it must not read as if it had been done. */
function termsOf({ state, reverses }: RunDetail['run']) {
  const done = state === 'completed';
  return reverses === null
    ? {
        pays: done ? 'Paid of it' : 'Planned to pay',
        setsAside: done ? 'Set aside' : 'To set aside',
        keeps: done ? 'Kept' : 'To keep',
      }
    : { pays: done ? 'Taken back of it' : 'Planned to take back', setsAside: 'Loyalty', keeps: 'Left' };
}

function Term({ name, sign, children }: { name: string; sign?: string; children: ReactNode }) {
  return (
    <div className="run-term" data-sign={sign}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
