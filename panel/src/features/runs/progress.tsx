import { useQuery } from '@tanstack/react-query';
import type { RunDetail } from 'contract/runs.ts';
import { Card } from '#panel/ui/card.tsx';
import { formatCount } from '#panel/ui/table/view.ts';
import { plannedUnits, signedUnits } from '#panel/domain/run-outcome.tsx';
import { formatUnits, sumOf } from './amounts.ts';
import { maintenanceQuery } from './api.ts';
import '#panel/ui/progress-bar.css';
import './progress.css';

type Props = { detail: RunDetail };

/** Bar, counts, rate and time left. Always exact, because the figures come from the posted payments. */
export function RunProgress({ detail }: Props) {
  const { run, progress } = detail;
  if (run.state === 'planning') return <Planning />;
  if (run.planHash === null || !['running', 'paused', 'failed'].includes(run.state)) return null;
  return (
    <Card>
      <div className="run-progress">
        <progress
          className="progress-bar run-bar"
          aria-label="Chunks that are paid"
          value={progress.paidChunks}
          max={Math.max(1, progress.chunks)}
        />
        <Frozen state={run.state} />
        <p className="run-pace">
          {paceOf(detail).map((text) => (
            <span key={text}>{text}</span>
          ))}
        </p>
      </div>
    </Card>
  );
}

/** A running run pays no further chunk until maintenance ends. */
function Frozen({ state }: Pick<RunDetail['run'], 'state'>) {
  const { data } = useQuery(maintenanceQuery);
  if (state !== 'running' || !data?.maintenance.active) return null;
  return <p className="run-pace">The platform is under maintenance. The run continues when maintenance ends.</p>;
}

function Planning() {
  return (
    <Card>
      <div className="run-progress">
        <progress className="progress-bar run-bar" aria-label="The plan is being made" />
        <p className="run-pace">Calculating payments. No money moves yet.</p>
      </div>
    </Card>
  );
}

function paceOf({ run, progress }: RunDetail) {
  const { chunks, paidChunks, paidLines, paid, linesPerSecond } = progress;
  const all = run.lines - run.skipped;
  const signed = (units: bigint) => formatUnits(signedUnits(units, run), run.asset);
  const secondsLeft = linesPerSecond > 0 ? (all - paidLines) / linesPerSecond : undefined;
  return [
    `${formatCount(paidLines)} of ${formatCount(all)} payments`,
    `${signed(sumOf([paid], run.asset))} of ${signed(plannedUnits(run))}`,
    `${formatCount(paidChunks)} of ${formatCount(chunks)} chunks`,
    ...(run.state === 'running' && secondsLeft !== undefined
      ? [`${formatCount(Math.round(linesPerSecond))} payments/s`, `${formatDuration(secondsLeft)} left`]
      : []),
  ];
}

function formatDuration(seconds: number) {
  const whole = Math.max(1, Math.ceil(seconds));
  if (whole < 60) return `${whole} s`;
  return whole < 3_600 ? `${Math.ceil(whole / 60)} min` : `${Math.ceil(whole / 3_600)} h`;
}
