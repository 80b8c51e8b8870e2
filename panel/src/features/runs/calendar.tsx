import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { CalendarEntry } from 'contract/runs-schedule.ts';
import type { ReactNode } from 'react';
import { Card } from '#panel/ui/card.tsx';
import { useNowMs } from '#panel/ui/clock.ts';
import { PageFrame } from '#panel/ui/page-frame.tsx';
import { LoadError, SkeletonLines } from '#panel/ui/states.tsx';
import { formatTotal } from '#panel/ui/table/view.ts';
import { useReportedFailure } from '#panel/ui/reported-failure.ts';
import { calendarQuery } from './api.ts';
import { CalendarDays } from './calendar-days.tsx';
import { daysOf, monthAt, monthsOn, formatMonth } from './month.ts';
import { RunTabs } from './tabs.tsx';
import './runs.css';
import './calendar.css';

const route = getRouteApi('/dashboard/runs/calendar');
const failed = 'Failed to fetch the calendar';

export function CalendarPage() {
  const thisMonth = monthAt(useNowMs());
  const { month = thisMonth } = route.useSearch();
  const days = daysOf(month);
  const query = useQuery(calendarQuery({ from: days[0] ?? '', to: days.at(-1) ?? '' }));
  useReportedFailure(failed, query, { shownInline: query.isLoadingError });
  return (
    <PageFrame title="Run calendar" now={query.data ? formatEntries(query.data.entries) : ''}>
      <RunTabs />
      <Card>
        <div className="calendar-head">
          <h2 className="calendar-month">{formatMonth(month)}</h2>
          <span className="run-quiet">Times are in UTC</span>
          <nav className="calendar-turn" aria-label="Month">
            <Turn month={monthsOn(month, -1)} label="Previous month">
              <IconChevronLeft size={18} stroke={1.75} aria-hidden />
            </Turn>
            {month !== thisMonth && (
              <Link to="/dashboard/runs/calendar" className="calendar-today">
                This month
              </Link>
            )}
            <Turn month={monthsOn(month, 1)} label="Next month">
              <IconChevronRight size={18} stroke={1.75} aria-hidden />
            </Turn>
          </nav>
        </div>
        {query.data ? (
          <CalendarDays days={days} entries={query.data.entries} stale={query.isPlaceholderData} />
        ) : query.error ? (
          <LoadError title={failed} query={query} />
        ) : (
          <SkeletonLines lines={10} label="Loading the calendar" />
        )}
      </Card>
    </PageFrame>
  );
}

function Turn({ month, label, children }: { month: string; label: string; children: ReactNode }) {
  return (
    <Link
      to="/dashboard/runs/calendar"
      search={{ month }}
      resetScroll={false}
      className="calendar-step"
      aria-label={`${label}: ${formatMonth(month)}`}
    >
      {children}
    </Link>
  );
}

function formatEntries(entries: readonly CalendarEntry[]) {
  const count = (...outcomes: CalendarEntry['outcome'][]) =>
    entries.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const open = count('coming', 'waiting');
  const past = formatTotal({ count: entries.length - open, capped: false }, { one: 'past run', many: 'past runs' });
  const waiting = count('waiting');
  return `${past}, ${count('coming') || 'none'} scheduled${waiting > 0 ? `, ${waiting} waiting` : ''}`;
}
