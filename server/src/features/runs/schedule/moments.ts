import { GmpDistribution, nextRuns, payoutRecurrence, StakePayout } from 'contract/jobs.ts';

/** What has a time of its own; the other two jobs begin when somebody says so. */
export type Scheduled = 'stake-payout' | 'gmp-distro';
export const scheduledJobs: readonly Scheduled[] = ['stake-payout', 'gmp-distro'];

/** When it is due, by its settings. */
export function recurrenceIn(kind: Scheduled, settings: unknown) {
  if (kind === 'gmp-distro') return GmpDistribution.parse(settings);
  return { ...payoutRecurrence, enabled: StakePayout.parse(settings).enabled };
}

type Recurrence = ReturnType<typeof recurrenceIn>;

/** More than a year of days. */
const momentsAtMost = 400;

/** The next moments include those that fall on the beginning. */
const momentsFrom = (recurrence: Recurrence, begins: number, count: number) =>
  recurrence.enabled ? nextRuns(recurrence, new Date(begins - 1), count) : [];

type Version = { settings: unknown; savedAt: Date };
type Span = { kind: Scheduled; from: Date; until: Date };

/** Every moment in a span at which the version then in force was enabled: one is in force until the next is saved. */
export function momentsIn(versions: readonly Version[], { kind, from, until }: Span) {
  return versions.flatMap(({ settings, savedAt }, place) => {
    const begins = Math.max(savedAt.getTime(), from.getTime());
    const ends = Math.min(versions[place + 1]?.savedAt.getTime() ?? Number.POSITIVE_INFINITY, until.getTime());
    const recurrence = recurrenceIn(kind, settings);
    return momentsFrom(recurrence, begins, momentsAtMost).flatMap((at) =>
      at.getTime() < ends ? [{ at, recurrence }] : [],
    );
  });
}

export const isMomentOf = (recurrence: Recurrence, at: Date) =>
  momentsFrom(recurrence, at.getTime(), 1)[0]?.getTime() === at.getTime();
