import { Link } from '@tanstack/react-router';
import type { RunState } from 'contract/run-states.ts';
import type { RunDetail } from 'contract/runs.ts';
import { formatReason } from '#panel/domain/reason-text.ts';
import { plannedUnits } from '#panel/domain/run-outcome.tsx';
import { formatRun } from '#panel/domain/run-text.ts';
import { Notice } from '#panel/ui/notice.tsx';
import { formatUnits, formatAmountText } from './amounts.ts';

const tones: Partial<Record<RunState, 'bad' | 'waiting'>> = { failed: 'bad', refused: 'bad' };

/** Compares what a stopped run moved with what it planned to move. */
function formatMoved({ run: { asset, planHash, reverses, ...run }, progress: { paid, paidLines } }: RunDetail) {
  if (planHash === null) return '';
  const moved = reverses === null ? 'paid' : 'reversed';
  const planned = formatUnits(plannedUnits({ ...run, asset }), asset);
  return paidLines === 0
    ? `Nothing of the planned ${planned} was ${moved}.`
    : `${formatAmountText(paid, asset)} of the planned ${planned} was ${moved}.`;
}

/** Explains the state of the run, above everything else. */
export function RunNotices({ detail }: { detail: RunDetail }) {
  const { run, approval, denial, settings, reversedBy } = detail;
  return (
    <>
      {run.why !== null && (
        <Notice tone={tones[run.state] ?? 'waiting'}>
          {formatReason(run.why)} {formatMoved(detail)}
        </Notice>
      )}
      {run.state === 'waiting' && (
        <Notice tone="waiting">
          A second approver must approve exactly this plan before any money moves.{' '}
          <Link to="/dashboard/approvals" search={{ approval: approval ?? undefined }} className="run-link">
            Open the request
          </Link>
        </Notice>
      )}
      {run.state === 'planned' && denial !== null && (
        <Notice tone="bad">
          {denial.by} denied this plan: {denial.reason}{' '}
          <Link to="/dashboard/approvals" search={{ approval: approval ?? undefined }} className="run-link">
            Open the request
          </Link>
        </Notice>
      )}
      {run.reverses !== null && run.reason !== null && (
        <Notice tone="waiting">
          Reverses{' '}
          <Link to="/dashboard/runs/$id" params={{ id: run.reverses }} className="run-link">
            {formatRun({ ...run, reverses: null })}
          </Link>
          {settings['person'] !== undefined && ', for one user only'}: {run.reason}
        </Notice>
      )}
      {run.reversed !== 'none' && (
        <Notice tone="waiting">
          {run.reversed === 'fully'
            ? 'Every payment of this run has been reversed.'
            : 'Some payments of this run have been reversed.'}{' '}
          {reversedBy !== null && (
            <Link to="/dashboard/runs/$id" params={{ id: reversedBy }} className="run-link">
              Open the reversal
            </Link>
          )}
        </Notice>
      )}
    </>
  );
}
