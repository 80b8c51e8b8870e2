import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { RunKind, runKinds } from 'contract/run-kinds.ts';
import { Link } from '@tanstack/react-router';
import type { Maintenance } from 'contract/maintenance.ts';
import type { ScheduledJob } from 'contract/runs-schedule.ts';
import { holds } from 'contract/core/permissions.ts';
import { lazy, type ReactNode, Suspense } from 'react';
import { useMe } from '#panel/shell/me.ts';
import { runTone } from '#panel/domain/run-state.tsx';
import { formatRun } from '#panel/domain/run-text.ts';
import { runKindText } from '#panel/domain/run-kinds.ts';
import { formatBlockedSchedule } from '#panel/domain/blocked-schedule-text.ts';
import { Amount } from '#panel/ui/amount.tsx';
import { useNowMs } from '#panel/ui/clock.ts';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { Skeleton } from '#panel/ui/states.tsx';
import { Status } from '#panel/ui/status.tsx';
import { formatCount } from '#panel/ui/table/view.ts';
import { exactUtc } from '#panel/ui/time-text.ts';
import { Books } from './home-books.tsx';
import {
  approvalsQuery,
  failedRunsQuery,
  maintenanceQuery,
  scheduleQuery,
  ticketsQuery,
  withdrawalsQuery,
} from './home-api.ts';
import { Inactivity } from './home-activity.tsx';
import { formatUntil } from './home-until.ts';

// Loaded on demand, because the audit log is sound nearly always.
const AuditNotices = lazy(async () => ({ default: (await import('./home-audit.tsx')).AuditNotices }));

// Loaded on demand, because an account rarely waits for confirmation.
const AccountNotices = lazy(async () => ({ default: (await import('./home-accounts.tsx')).AccountNotices }));

// Loaded on demand, because only Super Admins see opened keys.
const OpenedKeys = lazy(async () => ({ default: (await import('./home-opened-keys.tsx')).OpenedKeys }));

// Loaded on demand, because only Super Admins see recoveries.
const RecoveryNotices = lazy(async () => ({ default: (await import('./home-recoveries.tsx')).RecoveryNotices }));

// Loaded on demand, because only Super Admins and auditors see webhooks.
const WebhookNotices = lazy(async () => ({ default: (await import('./home-webhooks.tsx')).WebhookNotices }));

/** The items that need attention now, each a link to its page. */
export function Attention() {
  return (
    <section className="home-attention" aria-label="Needs attention">
      <Books />
      <Inactivity />
      <Suspense>
        <AuditNotices />
      </Suspense>
      <BlockedSchedules />
      <PausedWebhooks />
      <OpenedKeyNotices />
      <RecoveredAccounts />
      <UnconfirmedAccounts />
      <PendingWithdrawals />
      <OpenTickets />
      <WaitingApprovals />
      <FailedRuns />
      <MaintenanceState />
      <NextRuns />
    </section>
  );
}

type QueryState = Pick<UseQueryResult<unknown, { message: string }>, 'data' | 'error'>;

/** Returns the loaded content, the error text, or placeholders while loading. */
function contentOf({ data, error }: QueryState, shown: () => { value: ReactNode; note: ReactNode }) {
  if (data !== undefined) return shown();
  if (error) return { value: '–', note: error.message };
  return { value: <Skeleton width={88} height={24} />, note: <Skeleton width={128} height={12} /> };
}

type TileProps = { label: string; value: ReactNode; note: ReactNode };

function Tile({ label, value, note }: TileProps) {
  return (
    <>
      <span className="home-tile-label">{label}</span>
      <span className="home-tile-value">{value}</span>
      <span className="home-tile-note">{note}</span>
    </>
  );
}

function PendingWithdrawals() {
  const query = useQuery(withdrawalsQuery);
  const shown = contentOf(query, () => ({
    value: formatCount(query.data?.pending.count ?? 0),
    note: (
      <>
        <Amount units={query.data?.pending.amount ?? 0n} asset="USD" /> awaiting approval
      </>
    ),
  }));
  return (
    <Link to="/dashboard/manage-withdraw" search={{ status: 'Pending' }} className="card home-tile">
      <Tile label="Pending withdrawals" {...shown} />
    </Link>
  );
}

function OpenTickets() {
  const query = useQuery(ticketsQuery);
  const open = query.data?.open ?? 0;
  const shown = contentOf(query, () => ({
    value: formatCount(open),
    note: open > 0 ? 'Awaiting first reply' : 'Every ticket has been answered',
  }));
  return (
    <Link to="/dashboard/tickets" search={{ status: 'open' }} className="card home-tile">
      <Tile label="Open tickets" {...shown} />
    </Link>
  );
}

function WaitingApprovals() {
  const query = useQuery(approvalsQuery);
  const { waiting = 0, approvable = 0 } = query.data ?? {};
  const shown = contentOf(query, () => ({
    value: formatCount(waiting),
    note: waiting > 0 ? `${formatCount(approvable)} for you to decide` : 'No request is waiting',
  }));
  return (
    <Link to="/dashboard/approvals" search={{ state: 'waiting' }} className="card home-tile">
      <Tile label="Waiting approvals" {...shown} />
    </Link>
  );
}

/** Reads the requests only if any are waiting. */
function UnconfirmedAccounts() {
  const { data } = useQuery(approvalsQuery);
  if (!data?.waiting) return null;
  return (
    <Suspense>
      <AccountNotices />
    </Suspense>
  );
}

function PausedWebhooks() {
  if (!holds(useMe(), 'audit.read')) return null;
  return (
    <Suspense>
      <WebhookNotices />
    </Suspense>
  );
}

function OpenedKeyNotices() {
  if (!holds(useMe(), 'secrets.reveal')) return null;
  return (
    <Suspense>
      <OpenedKeys />
    </Suspense>
  );
}

function RecoveredAccounts() {
  if (!holds(useMe(), 'admins.write')) return null;
  return (
    <Suspense>
      <RecoveryNotices />
    </Suspense>
  );
}

function FailedRuns() {
  const query = useQuery(failedRunsQuery);
  const runs = query.data?.runs ?? [];
  const [newest] = runs;
  const shown = contentOf(query, () => ({
    value: runs.length > 0 ? <span className="home-failed">{formatCount(runs.length)}</span> : formatCount(0),
    note: newest ? formatRun(newest) : 'No run has failed',
  }));
  return (
    <Link to="/dashboard/runs" search={{ state: 'failed' }} className="card home-tile">
      <Tile label="Failed runs" {...shown} />
    </Link>
  );
}

function MaintenanceState() {
  const query = useQuery(maintenanceQuery);
  const shown = contentOf(query, () => ({
    value: query.data?.maintenance.active ? (
      <Status tone="waiting">Active (Under Maintenance)</Status>
    ) : (
      <Status tone="good">Running Normally</Status>
    ),
    note: query.data && <LastSwitch {...query.data.maintenance} />,
  }));
  return (
    <Link to="/dashboard/maintenance" className="card home-tile">
      <Tile label="Maintenance" {...shown} />
    </Link>
  );
}

function LastSwitch({ active, changedBy, changedAt }: Maintenance) {
  if (!changedAt) return 'Never used';
  return (
    <>
      Switched {active ? 'on' : 'off'} by {changedBy ?? 'an administrator'} <Timestamp at={changedAt} />
    </>
  );
}

const scheduled = RunKind.options.filter((job) => runKinds[job].isScheduled);

const dueOf = (job: RunKind, schedule: readonly ScheduledJob[] | undefined) => schedule?.find((due) => due.job === job);

/** Shown first, because a blocked schedule pays nothing until an administrator acts. */
function BlockedSchedules() {
  const { data } = useQuery(scheduleQuery);
  return scheduled.map((job) => {
    const blockedSchedule = dueOf(job, data?.schedule)?.blockedSchedule;
    return (
      blockedSchedule && (
        <Link key={job} to={runKindText[job].settingsPath} className="card home-blocked">
          <Status tone={runTone(blockedSchedule.run)}>{formatBlockedSchedule({ job, blockedSchedule })}</Status>
        </Link>
      )
    );
  });
}

function NextRuns() {
  const { data, error } = useQuery(scheduleQuery);
  return (
    <div className="card home-tile">
      <span className="home-tile-label">Next runs</span>
      <ul className="home-runs">
        {scheduled.map((job) => (
          <li key={job}>
            <Link to={runKindText[job].settingsPath} className="home-run">
              {runKinds[job].title}
              <span className="home-run-time">
                {data ? <NextRun due={dueOf(job, data.schedule)} /> : !error && <Skeleton width={72} />}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <span className="home-tile-note">
        {error && !data ? (
          error.message
        ) : (
          <Link to="/dashboard/runs" className="home-ran">
            View run history
          </Link>
        )}
      </span>
    </div>
  );
}

function NextRun({ due }: { due: ScheduledJob | undefined }) {
  const nowMs = useNowMs();
  if (!due?.nextRun) return due?.blockedSchedule ? 'on hold' : 'not enabled';
  return (
    <time dateTime={due.nextRun.toISOString()} title={exactUtc(due.nextRun)}>
      {formatUntil(due.nextRun, nowMs)}
    </time>
  );
}
