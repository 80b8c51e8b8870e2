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

type Version = { settings: unknown; savedAt: Date };
type Span = { schedule: Schedule; from: Date; until: Date };

/** Returns the occurrences in a span. A version of the settings is in force until the next one is saved. */
export function occurrencesIn(versions: readonly Version[], { schedule, from, until }: Span) {
  return versions.flatMap(({ settings, savedAt }, place) => {
    const starts = Math.max(savedAt.getTime(), from.getTime());
    const ends = Math.min(versions[place + 1]?.savedAt.getTime() ?? Number.POSITIVE_INFINITY, until.getTime());
    return occurrencesFrom(schedule.recurrence(settings), starts, occurrencesAtMost).flatMap((at) =>
      at.getTime() < ends ? [{ at, settings }] : [],
    );
  });
}

export const isOccurrenceOf = (recurrence: Recurrence, at: Date) =>
  occurrencesFrom(recurrence, at.getTime(), 1)[0]?.getTime() === at.getTime();
