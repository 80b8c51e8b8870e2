import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatReason } from '#panel/domain/reason-text.ts';
import { formatRun } from '#panel/domain/run-text.ts';
import { useNowMs } from '#panel/ui/clock.ts';
import { Status } from '#panel/ui/status.tsx';
import { relativeTime } from '#panel/ui/time-text.ts';
import { activityQuery } from './home-api.ts';

/** Says that no worker is running, or else which runs have stalled. */
export function Inactivity() {
  const { data } = useQuery(activityQuery);
  const nowMs = useNowMs();
  if (!data) return null;
  if (data.workers === 0) {
    return (
      <div className="card home-blocked">
        <Status tone="bad">No worker is running. Payouts, schedules and exports are waiting.</Status>
      </div>
    );
  }
  return data.stalled.map((run) => (
    <Link key={run.id} to="/dashboard/runs/$id" params={{ id: run.id }} className="card home-blocked">
      <Status tone="bad">
        {`${formatRun(run)} has stalled. Last progress ${relativeTime(run.since, nowMs)}. ${formatReason(run.why)}`}
      </Status>
    </Link>
  ));
}
