import { Link } from '@tanstack/react-router';
import type { RunKind } from 'contract/run-kinds.ts';
import type { Standstill } from 'contract/runs-schedule.ts';
import { formatReason } from '#panel/domain/reason-text.ts';
import { formatMissed, formatBlockingRun } from '#panel/domain/blocked-schedule-text.ts';
import { Moment } from '#panel/ui/moment.tsx';
import { Notice } from '#panel/ui/notice.tsx';

type Props = { job: RunKind; standstill: Standstill };

/** What the schedule stands still at, and the way to it. */
export function Standing({ job, standstill }: Props) {
  const { run, since, why, onward, approval } = standstill;
  const behind = formatMissed({ job, standstill });
  const bad = run.state === 'refused' || run.state === 'failed';
  return (
    <Notice tone={bad ? 'bad' : 'waiting'}>
      <strong>The schedule stands still{behind !== undefined && `: ${behind}`}.</strong>
      <p className="jobs-standing">
        {formatBlockingRun({ job, standstill })}, <Moment at={since} />.{why !== null && ` ${formatReason(why)}`}
      </p>
      {onward === 'approve' ? (
        <Link to="/dashboard/approvals" search={{ approval: approval ?? undefined }} className="jobs-link">
          Open the request
        </Link>
      ) : (
        <Link to="/dashboard/runs/$id" params={{ id: run.id }} className="jobs-link">
          {toRun[onward]}
        </Link>
      )}
    </Notice>
  );
}

const toRun: Record<Exclude<Standstill['onward'], 'approve'>, string> = {
  start: 'Open the plan to run it',
  resume: 'Open the run to resume it',
  retry: 'Open the run to try again',
  plan: 'Open the run',
};
