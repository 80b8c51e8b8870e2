import { nextRuns } from 'contract/jobs.ts';
import type { CalendarEntry } from 'contract/run-schedule.ts';
import type { Db } from '#server/db/db.ts';
import { Refusal } from '#server/http/refusal.ts';
import { selectNoted } from './due-queries.ts';
import { dueAfter, lastDay } from './periods.ts';
import { selectSettings, selectUnpaidDays } from './queries.ts';
import { recurrenceIn, scheduledJobs } from './schedule.ts';
import { findStandstill, letsPass, type Scheduled } from './standstill.ts';

const dayMs = 86_400_000;
const daysAtMost = 62;

type Wish = { from: string; to: string; now: Date };
type Span = { begins: Date; ends: Date; now: Date };

/** What was due and what became of it, what waits, and what the settings of now say is still to come. */
export async function readCalendar(db: Db, { from, to, now }: Wish) {
  const span = { begins: new Date(from), ends: new Date(Date.parse(to) + dayMs), now };
  if (span.ends.getTime() - span.begins.getTime() > daysAtMost * dayMs) throw new Refusal('TooLong');
  const noted = await selectNoted(db, span);
  const entries = noted.map(
    ({ runId, period, state, reverses, ...entry }): CalendarEntry => ({
      ...entry,
      run: runId === null ? null : { id: runId, period, state, reverses },
    }),
  );
  for (const kind of scheduledJobs) {
    const known = new Set(noted.filter((entry) => entry.kind === kind).map(({ at }) => at.getTime()));
    entries.push(...(await openEntries(db, kind, span)).filter(({ at }) => !known.has(at.getTime())));
  }
  return { entries: entries.toSorted((one, other) => one.at.getTime() - other.at.getTime()) };
}

/** What did not happen so far. */
async function openEntries(db: Db, kind: Scheduled, { begins, ends, now }: Span): Promise<CalendarEntry[]> {
  const recurrence = recurrenceIn(kind, (await selectSettings(db, kind)).settings);
  if (!recurrence.enabled) return [];
  const standstill = await findStandstill(db, kind, now);
  const waits = standstill !== null && !letsPass(kind, standstill);
  const late = waits && kind === 'stake-payout' ? await selectUnpaidDays(db, lastDay(now)) : [];
  const coming = nextRuns(recurrence, begins > now ? begins : now, daysAtMost);
  return [...late.map(dueAfter), ...coming]
    .filter((at) => at >= begins && at < ends)
    .map((at) => ({ kind, at, outcome: waits ? 'waiting' : 'coming', run: waits ? standstill.run : null, why: null }));
}
