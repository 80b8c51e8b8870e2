import { Link } from '@tanstack/react-router';
import type { RunKind } from 'contract/run-kinds.ts';
import type { BlockedSchedule } from 'contract/runs-schedule.ts';
import { formatReason } from '#panel/domain/reason-text.ts';
import { formatMissed, formatBlockingRun } from '#panel/domain/blocked-schedule-text.ts';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { Notice } from '#panel/ui/notice.tsx';

type Props = { job: RunKind; blockedSchedule: BlockedSchedule };

/** Shows the run that blocks the schedule, and links to it. */
export function BlockedNotice({ job, blockedSchedule }: Props) {
  const { run, since, why, nextAction, approval } = blockedSchedule;
  const behind = formatMissed({ job, blockedSchedule });
  const bad = run.state === 'refused' || run.state === 'failed';
  return (
    <Notice tone={bad ? 'bad' : 'waiting'}>
      <strong>The schedule is on hold{behind !== undefined && `: ${behind}`}.</strong>
      <p className="jobs-blocked">
        {formatBlockingRun({ job, blockedSchedule })}, <Timestamp at={since} />.
        {why !== null && ` ${formatReason(why)}`}
      </p>
      {nextAction === 'approve' ? (
        <Link to="/dashboard/approvals" search={{ approval: approval ?? undefined }} className="jobs-link">
          View request
        </Link>
      ) : (
        <Link to="/dashboard/runs/$id" params={{ id: run.id }} className="jobs-link">
          {toRun[nextAction]}
        </Link>
      )}
    </Notice>
  );
}

const toRun: Record<Exclude<BlockedSchedule['nextAction'], 'approve'>, string> = {
  start: 'Open the plan to run it',
  resume: 'Open the run to resume it',
  retry: 'Open the run to try again',
  plan: 'Open the run',
};
