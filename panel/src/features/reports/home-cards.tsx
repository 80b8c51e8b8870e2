import type { ReactNode } from 'react';
import { Skeleton } from '#panel/ui/states.tsx';

type Place = 'wide' | 'narrow';

export const charts = [
  { title: 'User registrations', period: 'By month', place: 'wide' },
  { title: 'Engagement', period: 'Active in the last 30 days', place: 'narrow' },
  { title: 'User actions', period: 'Last 30 days', place: 'wide' },
  { title: 'Interactions', period: 'Last 30 days', place: 'narrow' },
] as const satisfies { title: string; period: string; place: Place }[];

type ChartCardProps = { title: string; period: string; place: Place; action?: ReactNode; children: ReactNode };

/** Has the same height before and after the chart loads. */
export function ChartCard({ title, period, place, action, children }: ChartCardProps) {
  return (
    <section className="card home-card" data-place={place} aria-label={title}>
      <div className="home-card-head">
        <h2 className="home-card-title">
          {title} <span className="home-card-period">{period}</span>
        </h2>
        {action}
      </div>
      <div className="home-card-body">{children}</div>
    </section>
  );
}

export function ChartWait() {
  return (
    <div className="home-wait">
      <Skeleton height="100%" />
    </div>
  );
}
