import { IconArrowLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type RunDetail, readRun } from 'contract/runs.ts';
import { lazy, type ReactNode, Suspense } from 'react';
import { RunState } from '#panel/domain/run-state.tsx';
import { formatRun } from '#panel/domain/run-text.ts';
import { Card } from '#panel/ui/card.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { EmptyState, LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { RunActions } from './actions.tsx';
import { runQuery } from './api.ts';
import { RunRelated } from './related.tsx';
import { RunFigures } from './figures.tsx';
import { RunLines } from './lines.tsx';
import { RunNotices } from './notices.tsx';
import { RunParts } from './parts.tsx';
import './runs.css';
import './run-page.css';

// Loaded separately, because most opened runs are finished and show no progress.
const RunProgress = lazy(async () => ({ default: (await import('./progress.tsx')).RunProgress }));
const underWay = new Set<RunDetail['run']['state']>(['planning', 'running', 'paused', 'failed']);

const route = getRouteApi('/dashboard/runs/$id');
const failed = 'The run could not be loaded.';

export function RunPage() {
  const { id } = route.useParams();
  // A malformed ID matches no run, so no request is sent.
  if (!readRun.params.safeParse({ id }).success) return <NoRun />;
  return <RunById key={id} id={id} />;
}

function RunById({ id }: { id: string }) {
  const query = useQuery(runQuery(id));
  const { data, error } = query;
  const gone = error?.code === 'RunNotFound';
  useReportedFailure(failed, query, { shownInline: gone || query.isLoadingError });
  if (gone) return <NoRun />;
  if (data) return <Shown detail={data} />;
  return (
    <Waiting>
      {error ? <LoadError title={failed} query={query} /> : <SkeletonLines lines={8} label="Loading the run" />}
    </Waiting>
  );
}

function Shown({ detail }: { detail: RunDetail }) {
  const { run } = detail;
  return (
    <PageFrame
      title={formatRun(run)}
      now={
        <span className="run-now">
          <RunState run={run} />
          <Since run={run} />
        </span>
      }
      back={<WayBack />}
      action={<RunActions detail={detail} />}
    >
      <RunNotices detail={detail} />
      {underWay.has(detail.run.state) && (
        <Suspense>
          <RunProgress detail={detail} />
        </Suspense>
      )}
      <div className="run-columns">
        <div className="run-main">
          <RunFigures detail={detail} />
          <RunParts detail={detail} />
        </div>
        <RunRelated detail={detail} />
      </div>
      {run.planHash !== null && detail.archive === null && <RunLines detail={detail} />}
    </PageFrame>
  );
}

function Since({ run: { endedAt, startedAt, startedBy, createdAt, plannedBy } }: Pick<RunDetail, 'run'>) {
  if (endedAt)
    return (
      <span>
        finished <Timestamp at={endedAt} />
      </span>
    );
  const by = (startedAt ? startedBy : plannedBy) ?? 'the schedule';
  return (
    <span>
      {startedAt ? 'started ' : 'planned '}by {by} <Timestamp at={startedAt ?? createdAt} />
    </span>
  );
}

function NoRun() {
  return (
    <Waiting>
      <EmptyState title="Run not found." line="This run doesn't exist, or the link is incomplete." />
    </Waiting>
  );
}

function Waiting({ children }: { children: ReactNode }) {
  return (
    <PageFrame title="Run" back={<WayBack />}>
      <Card>{children}</Card>
    </PageFrame>
  );
}

function WayBack() {
  return (
    <Link to="/dashboard/runs" className="run-back">
      <IconArrowLeft size={16} stroke={1.75} aria-hidden />
      All runs
    </Link>
  );
}
