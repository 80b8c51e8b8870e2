import { Link } from '@tanstack/react-router';
import { skipText } from 'contract/runs-lines.ts';
import type { RunDetail } from 'contract/runs.ts';
import { paidOf } from '#panel/domain/line-amount.tsx';
import { overList } from '#panel/domain/detail-route.ts';
import { formatReason } from '#panel/domain/reason-text.ts';
import { signedUnits } from '#panel/domain/run-outcome.tsx';
import { AlignedAmounts } from '#panel/ui/aligned-amounts.tsx';
import { Amount } from '#panel/ui/amount.tsx';
import { Card } from '#panel/ui/card.tsx';
import { formatCount } from '#panel/ui/table/view.ts';
import { idOfLine } from './api.ts';

type Props = { detail: RunDetail };

/** The parts of a plan to review before it is paid. */
export function RunParts({ detail }: Props) {
  const { skips, largest, errors } = detail;
  if (skips.length + largest.length + errors.length === 0) return null;
  return (
    <div className="run-parts">
      {errors.length > 0 && <Errors detail={detail} />}
      {largest.length > 0 && <Largest detail={detail} />}
      {skips.length > 0 && <Skips detail={detail} />}
    </div>
  );
}

function Largest({ detail: { run, largest } }: Props) {
  return (
    <Card title={run.state === 'completed' ? 'Largest payments' : 'Largest planned payments'}>
      <AlignedAmounts
        amounts={largest.map((line) => ({ units: signedUnits(paidOf(line, run.asset), run), asset: run.asset }))}
      >
        <ul className="run-list">
          {largest.map((line) => (
            <li key={line.cause}>
              <Link {...overList('line', idOfLine(line))} className="run-row">
                <span className="run-row-name">{line.user.username}</span>
                <Amount units={signedUnits(paidOf(line, run.asset), run)} asset={run.asset} />
              </Link>
            </li>
          ))}
        </ul>
      </AlignedAmounts>
    </Card>
  );
}

function Skips({ detail: { run, skips } }: Props) {
  return (
    <Card title="Skipped">
      <ul className="run-list">
        {skips.map(({ reason, lines }) => (
          <li key={reason}>
            <Link
              to="/dashboard/runs/$id"
              params={{ id: run.id }}
              search={{ skip: reason }}
              hash="lines"
              className="run-row"
            >
              <span className="run-row-name">{skipText[reason]}</span>
              <span className="amount">{formatCount(lines)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Errors({ detail: { errors } }: Props) {
  return (
    <Card title="Failed chunks">
      <ul className="run-list">
        {errors.map(({ chunk, failures, failure }) => (
          <li key={chunk} className="run-error">
            <span className="run-row-name">Chunk {formatCount(chunk)}</span>
            <span className="run-quiet">{failures === 1 ? 'failed once' : `failed ${failures} times`}</span>
            <p>{formatReason(failure)}</p>
          </li>
        ))}
      </ul>
    </Card>
  );
}
