import { Link, useNavigate } from '@tanstack/react-router';
import { runKinds } from 'contract/run-kinds.ts';
import type { CalendarEntry } from 'contract/runs-schedule.ts';
import { type CSSProperties, useMemo, useState } from 'react';
import { formatReason } from '#panel/domain/reason-text.ts';
import { formatRun, formatPeriod } from '#panel/domain/run-text.ts';
import { runStateName, runTone } from '#panel/domain/run-state.tsx';
import { useNowMs } from '#panel/ui/clock.ts';
import { Button } from '#panel/ui/button.tsx';
import { Status, type Tone } from '#panel/ui/status.tsx';
import { exactUtc } from '#panel/ui/time-text.ts';
import { usePlan } from './api.ts';
import { usePermissionDenied } from './disabled-reason.ts';
import { formatWeekday, weekdayOf } from './month.ts';

type Props = { days: readonly string[]; entries: readonly CalendarEntry[]; stale: boolean };

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** A grid of weeks, or on a narrow screen a list of the days with entries. */
export function CalendarDays({ days, entries, stale }: Props) {
  const today = new Date(useNowMs()).toISOString().slice(0, 10);
  const byDay = useMemo(() => Map.groupBy(entries, ({ at }) => at.toISOString().slice(0, 10)), [entries]);
  return (
    <>
      <div className="calendar-weekdays" aria-hidden>
        {weekdays.map((name) => (
          <span key={name}>{name}</span>
        ))}
      </div>
      <ol className="calendar" data-stale={stale || undefined}>
        {days.map((day) => (
          <Day key={day} day={day} entries={byDay.get(day) ?? []} today={day === today} />
        ))}
      </ol>
      {entries.length === 0 && <p className="calendar-nothing">No runs this month.</p>}
    </>
  );
}

const shownAtOnce = 3;

function Day({ day, entries, today }: { day: string; entries: readonly CalendarEntry[]; today: boolean }) {
  const [all, setAll] = useState(false);
  const shown = all ? entries : entries.slice(0, shownAtOnce);
  const more = entries.length - shown.length;
  const style: CSSProperties = { '--weekday': weekdayOf(day) } as CSSProperties;
  return (
    <li className="calendar-day" style={style} data-empty={entries.length === 0 || undefined}>
      <time dateTime={day} className="calendar-date" {...(today && { 'aria-current': 'date' })}>
        <span className="calendar-number" aria-hidden>
          {Number(day.slice(8))}
        </span>
        <span className="calendar-name">{formatWeekday(day)}</span>
      </time>
      {entries.length > 0 && (
        <ul className="calendar-entries">
          {shown.map((entry) => (
            <li key={`${entry.kind} ${entry.at.getTime()} ${entry.outcome}`}>
              <Entry entry={entry} />
            </li>
          ))}
        </ul>
      )}
      {more > 0 && (
        <button type="button" className="calendar-more" onClick={() => setAll(true)}>
          {more} more
        </button>
      )}
    </li>
  );
}

type Mark = { tone: Tone; word: string };

const marks: Record<CalendarEntry['outcome'], Mark> = {
  triggered: { tone: 'moving', word: 'Started' },
  manual: { tone: 'moving', word: 'Started' },
  skipped: { tone: 'quiet', word: 'Skipped' },
  overlapped: { tone: 'waiting', word: 'Overlapped' },
  missed: { tone: 'bad', word: 'Missed' },
  waiting: { tone: 'waiting', word: 'Waiting' },
  coming: { tone: 'quiet', word: 'Scheduled' },
};

const markOf = ({ outcome, run }: CalendarEntry): Mark =>
  run && outcome !== 'waiting' ? { tone: runTone(run), word: runStateName(run) } : marks[outcome];

function whyOf({ kind, outcome, run, why }: CalendarEntry) {
  if (run && outcome === 'waiting') return `waiting for ${formatPeriod({ kind, period: run.period })}`;
  return why && formatReason(why);
}

/** A scheduled run is identified by its day. A manual run needs its full name, with its period. */
const nameOf = ({ kind, outcome, run }: CalendarEntry) =>
  run && outcome === 'manual' ? formatRun({ kind, ...run }) : runKinds[kind].title;

function Entry({ entry }: { entry: CalendarEntry }) {
  const { at, outcome, run } = entry;
  const { tone, word } = markOf(entry);
  const why = whyOf(entry);
  const content = (
    <>
      <span className="calendar-job">{nameOf(entry)}</span>
      <Status tone={tone}>{word}</Status>
      <span className="calendar-time">
        <time dateTime={at.toISOString()} title={exactUtc(at)}>
          {at.toISOString().slice(11, 16)}
        </time>
        {outcome === 'manual' && ' manual'}
      </span>
      {why !== null && <span className="calendar-why">{why}</span>}
    </>
  );
  if (!run) {
    return (
      <div className="calendar-entry">
        {content}
        {entry.isPlannable && <PlanMissed entry={entry} />}
      </div>
    );
  }
  return (
    <Link to="/dashboard/runs/$id" params={{ id: run.id }} className="calendar-entry">
      {content}
    </Link>
  );
}

/** Plans what was missed, by the rules of the day it was due. Nothing is paid before the run is started. */
function PlanMissed({ entry: { kind, at } }: { entry: CalendarEntry }) {
  const navigate = useNavigate();
  const planning = usePlan({ onDone: (id) => void navigate({ to: '/dashboard/runs/$id', params: { id } }) });
  return (
    <Button
      variant="default"
      size="compact-xs"
      my={4}
      loading={planning.isPending}
      disabledReason={usePermissionDenied()}
      aria-label={`Plan the ${runKinds[kind].title} of ${exactUtc(at)}`}
      onClick={() => planning.mutate({ body: { kind, at } })}
    >
      Plan
    </Button>
  );
}
