import { Link } from '@tanstack/react-router';
import type { RunState } from 'contract/run-states.ts';
import type { RunDetail } from 'contract/runs.ts';
import { formatReason } from '#panel/domain/reason-text.ts';
import { plannedUnits } from '#panel/domain/run-outcome.tsx';
import { formatRun } from '#panel/domain/run-text.ts';
import { Notice } from '#panel/ui/notice.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { formatCount } from '#panel/ui/table/view.ts';
import { leftAfter } from '#panel/domain/run-cover.ts';
import { formatUnits, formatAmountText } from './amounts.ts';

/** Names the maker and the approver of a refused run, who may wonder what became of it. */
function formatMakers({ run: { startedBy, plannedBy }, request }: RunDetail) {
  if (request !== null) {
    const approved = request.approvedBy === null ? '' : ` and approved by ${request.approvedBy}`;
    return `Requested by ${request.by}${approved}.`;
  }
  if (startedBy !== null) return `Started by ${startedBy}.`;
  return `Planned by ${plannedBy ?? 'the schedule'}.`;
}

const tones: Partial<Record<RunState, 'bad' | 'waiting'>> = { failed: 'bad', refused: 'bad' };

/** Compares what a stopped run moved with what it planned to move. */
function formatMoved({ run: { asset, planHash, reverses, ...run }, progress: { paid, paidLines } }: RunDetail) {
  if (planHash === null) return '';
  const moved = reverses === null ? 'paid' : 'reversed';
  const planned = formatUnits(plannedUnits({ ...run, asset }), asset);
  return paidLines === 0
    ? `None of the planned ${planned} was ${moved}.`
    : `${formatAmountText(paid, asset)} of the planned ${planned} was ${moved}.`;
}

function whySkippedSince({ reverses }: RunDetail['run'], lines: number) {
  const payments = lines === 1 ? 'one payment was' : `${formatCount(lines)} payments were`;
  const users = lines === 1 ? 'the user' : 'their users';
  if (reverses !== null) return `${payments} skipped because ${users} no longer had the stake that was returned`;
  return `${payments} skipped because ${users} ${lines === 1 ? 'was' : 'were'} no longer eligible`;
}

/** Paying less than was approved needs no new approval, but the run says so. */
function SkippedSince({ detail: { run, progress } }: { detail: RunDetail }) {
  const { lines, amount } = progress.skippedSince;
  if (lines === 0) return null;
  const done = run.reverses === null ? 'paid' : 'reversed';
  const planned = formatUnits(plannedUnits(run), run.asset);
  return (
    <Notice tone="waiting">
      {`Planned ${planned}, ${done} ${formatAmountText(progress.paid, run.asset)}: ${whySkippedSince(run, lines)}`} (
      {formatAmountText(amount, run.asset)}).
    </Notice>
  );
}

/** Says before anyone approves the run that the treasury does not cover it. */
function Uncovered({ detail: { run, cover } }: { detail: RunDetail }) {
  if (!cover || leftAfter(cover, run.asset) >= 0n) return null;
  const amount = (text: string) => formatAmountText(text, run.asset);
  return (
    <Notice tone="bad">
      The treasury does not cover this run: it needs {amount(cover.needed)}, and the treasury has{' '}
      {amount(cover.treasury)}
      {/[1-9]/.test(cover.reserved) && `, of which ${amount(cover.reserved)} is reserved for other runs`}.
    </Notice>
  );
}

const joinSentences = (...sentences: string[]) => sentences.filter((sentence) => sentence !== '').join(' ');

/** Explains the state of the run, above everything else. */
export function RunNotices({ detail }: { detail: RunDetail }) {
  const { run, approval, denial, settings, reversedBy, stalled, archive } = detail;
  return (
    <>
      {run.why !== null && (
        <Notice tone={tones[run.state] ?? 'waiting'}>
          {joinSentences(
            formatReason(run.why),
            formatMoved(detail),
            run.state === 'refused' ? formatMakers(detail) : '',
          )}
        </Notice>
      )}
      {stalled !== null && (
        <Notice tone="bad">
          This run has stalled. Last progress <Timestamp at={stalled.since} />. {formatReason(stalled.why)}
        </Notice>
      )}
      {archive !== null && (
        <Notice tone="waiting">
          The payments of this run were archived <Timestamp at={archive.at} /> in the file {archive.file}. They can't be
          reversed or paid again.
        </Notice>
      )}
      <SkippedSince detail={detail} />
      <Uncovered detail={detail} />
      {run.state === 'waiting' && (
        <Notice tone="waiting">
          A second approver must approve exactly this plan before any money moves.{' '}
          <Link to="/dashboard/approvals" search={{ approval: approval ?? undefined }} className="run-link">
            View request
          </Link>
        </Notice>
      )}
      {run.state === 'planned' && denial !== null && (
        <Notice tone="bad">
          {denial.by} denied this plan: {denial.reason}{' '}
          <Link to="/dashboard/approvals" search={{ approval: approval ?? undefined }} className="run-link">
            View request
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
      {run.onlyUser !== null && (
        <Notice tone="waiting">This run pays one user, whose payment for this period was reversed.</Notice>
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
