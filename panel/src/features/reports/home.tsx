import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useMe } from '#panel/shell/me.ts';
import { Card } from '#panel/ui/card.tsx';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { LoadError } from '#panel/ui/states.tsx';
import {
  activityQuery,
  analyticsQuery,
  approvalsQuery,
  failedRunsQuery,
  settingsQuery,
  ticketsQuery,
  withdrawalsQuery,
} from './home-api.ts';
import { Attention } from './home-attention.tsx';
import { ChartCard, ChartWait, charts } from './home-cards.tsx';
import { formatAttention } from './home-text.ts';
import './home.css';

// Loaded separately, so that the page renders before the charts.
const HomeCharts = lazy(async () => ({ default: (await import('./home-charts.tsx')).HomeCharts }));

export function HomePage() {
  return (
    <PageFrame title="Analytics" now={<Welcome />}>
      <Attention />
      <Charts />
    </PageFrame>
  );
}

function Welcome() {
  const { username } = useMe();
  const { data: own, isPending } = useQuery(settingsQuery);
  const { data: tickets } = useQuery(ticketsQuery);
  const { data: withdrawals } = useQuery(withdrawalsQuery);
  const { data: approvals } = useQuery(approvalsQuery);
  const { data: failed } = useQuery(failedRunsQuery);
  const { data: activity } = useQuery(activityQuery);
  // Nothing is in order while no worker is running, and the notice below says so.
  const known = tickets && withdrawals && approvals && failed && activity && activity.workers > 0;
  return (
    <span className="home-welcome">
      {!isPending && <strong>Welcome, {own?.settings.fullName || username}.</strong>}{' '}
      {known &&
        formatAttention({
          approvals: approvals.waiting,
          failedRuns: failed.runs.length,
          withdrawals: withdrawals.pending.count,
          tickets: tickets.open,
          stalledRuns: activity.stalled.length,
        })}
    </span>
  );
}

function Charts() {
  const query = useQuery(analyticsQuery);
  const { data } = query;
  if (query.isLoadingError) {
    return (
      <Card>
        <LoadError title="The charts could not be loaded." query={query} />
      </Card>
    );
  }
  return (
    <section className="home-charts" aria-label="Charts">
      {data ? (
        <Suspense fallback={<Waiting />}>
          <HomeCharts analytics={data} />
        </Suspense>
      ) : (
        <Waiting />
      )}
    </section>
  );
}

const Waiting = () =>
  charts.map(({ title, period, place }) => (
    <ChartCard key={title} title={title} period={period} place={place}>
      <ChartWait />
    </ChartCard>
  ));
