import { Link } from '@tanstack/react-router';
import type { PeriodRun, RunDetail } from 'contract/runs.ts';
import { runTitle } from 'contract/run-kinds.ts';
import { Paid } from '#panel/domain/run-outcome.tsx';
import { RunState } from '#panel/domain/run-state.tsx';
import { formatPeriod } from '#panel/domain/run-text.ts';
import { Amount } from '#panel/ui/amount.tsx';
import { Card } from '#panel/ui/card.tsx';
import { sumOf } from './amounts.ts';
import './period.css';

type Props = { detail: RunDetail };

/** Lists every payment and reversal of the run's period, and the net amount. */
export function PeriodCard({ detail: { run, period } }: Props) {
  return (
    <Card title={`Paid for ${formatPeriod(run)}`}>
      {period.runs.length > 0 && (
        <ul className="run-list">
          {period.runs.map((one) => (
            <li key={one.id}>
              <Part of={run} part={one} />
            </li>
          ))}
        </ul>
      )}
      <p className="period-net">
        <span>Net paid</span>
        <Amount units={sumOf([period.net], run.asset)} asset={run.asset} />
      </p>
    </Card>
  );
}

function Part({ of: { id, kind, asset }, part }: { of: RunDetail['run']; part: PeriodRun }) {
  const content = (
    <>
      <span className="period-run">
        <span className="run-row-name">{runTitle({ kind, reverses: part.reverses })}</span>
        <RunState run={part} />
      </span>
      <Paid run={{ ...part, asset }} />
    </>
  );
  if (part.id === id) {
    return (
      <div className="run-row period-this" aria-current="true">
        {content}
      </div>
    );
  }
  return (
    <Link to="/dashboard/runs/$id" params={{ id: part.id }} className="run-row">
      {content}
    </Link>
  );
}
