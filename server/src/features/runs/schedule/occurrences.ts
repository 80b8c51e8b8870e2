import { nextRuns } from 'contract/recurrence.ts';
import { RunKind } from 'contract/run-kinds.ts';
import type { Schedule } from '../kinds/kind.ts';
import { kinds } from '../kinds/kinds.ts';

export type Scheduled = { kind: RunKind; schedule: Schedule };

/** The kinds that have a schedule; the others are planned only by an administrator. */
export const scheduledKinds: readonly Scheduled[] = RunKind.options.flatMap((kind) => {
  const { schedule } = kinds[kind];
  return schedule === null ? [] : [{ kind, schedule }];
});

type Recurrence = ReturnType<Schedule['recurrence']>;

/** More than a year of days. */
const occurrencesAtMost = 400;

/** Returns the next occurrences, including one exactly at the start. */
const occurrencesFrom = (recurrence: Recurrence, starts: number, count: number) =>
  recurrence.enabled ? nextRuns(recurrence, new Date(starts - 1), count) : [];

type Version = { settings: unknown; savedAt: Date; effectiveFrom: Date };
type Span = { schedule: Schedule; from: Date; until: Date };

/** A schedule cannot start in the past, so a version applies to occurrences after it was saved. */
const startOf = ({ savedAt, effectiveFrom }: Version) => Math.max(savedAt.getTime(), effectiveFrom.getTime());

/** Returns the occurrences in a span. A version applies until a higher one starts. */
export function occurrencesIn(versions: readonly Version[], { schedule, from, until }: Span) {
  return versions.flatMap((version, place) => {
    const starts = Math.max(startOf(version), from.getTime());
    const ends = Math.min(...versions.slice(place + 1).map(startOf), until.getTime());
    return occurrencesFrom(schedule.recurrence(version.settings), starts, occurrencesAtMost).flatMap((at) =>
      at.getTime() < ends ? [{ at, settings: version.settings }] : [],
    );
  });
}

export const isOccurrenceOf = (recurrence: Recurrence, at: Date) =>
  occurrencesFrom(recurrence, at.getTime(), 1)[0]?.getTime() === at.getTime();
