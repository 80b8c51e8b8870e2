import type { Reason } from 'contract/runs-reasons.ts';
import type { CalendarEntry } from 'contract/runs-schedule.ts';
import type { Db } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import { selectNoted } from '../schedule/due-queries.ts';
import { occurrencesIn, type Scheduled, scheduledKinds } from '../schedule/occurrences.ts';
import { selectArchive } from '../store/archived.ts';
import { isFullyPaid, selectSettings, selectVersions } from '../store/run-queries.ts';
import { findBlockedSchedule, isBlocking } from '../schedule/blocked-schedule.ts';

const dayMs = 86_400_000;
const daysAtMost = 62;

type Params = { from: string; to: string; now: Date };
type Entry = Omit<CalendarEntry, 'isPlannable'>;
type Span = { starts: Date; ends: Date; now: Date };

/** Returns the runs and occurrences of a span, past and to come. Refuses a span that is too long. */
export async function readCalendar(db: Db, { from, to, now }: Params) {
  const span = { starts: new Date(from), ends: new Date(Date.parse(to) + dayMs), now };
  if (span.ends.getTime() - span.starts.getTime() > daysAtMost * dayMs) throw new Refusal('TooLong');
  const noted = await selectNoted(db, span);
  const entries = noted.map(
    ({ runId, period, state, reversed, reverses, ...entry }): Entry => ({
      ...entry,
      run: runId === null ? null : { id: runId, period, state, reversed, reverses },
    }),
  );
  for (const { kind, schedule } of scheduledKinds) {
    const known = new Set(noted.filter((entry) => entry.kind === kind).map(({ at }) => at.getTime()));
    entries.push(...(await openEntries(db, { kind, schedule, known, ...span })));
  }
  const marked: CalendarEntry[] = [];
  for (const entry of entries) marked.push({ ...entry, isPlannable: await isPlannable(db, entry) });
  return { entries: marked.toSorted((one, other) => one.at.getTime() - other.at.getTime()) };
}

/** A kind that pays every period catches up by itself. Of the others, an administrator plans what was missed. */
async function isPlannable(db: Db, { kind, at, outcome }: Entry) {
  const schedule = scheduledKinds.find((scheduled) => scheduled.kind === kind)?.schedule;
  if (schedule?.catchUp !== 'latest' || (outcome !== 'missed' && outcome !== 'overlapped')) return false;
  const { settings } = await selectSettings(db, kind, at);
  const { period, day } = schedule.periodAt(at, settings);
  return (await selectArchive(db, day)) === null && !(await isFullyPaid(db, { kind, period }));
}

type Open = Span & Scheduled & { known: ReadonlySet<number> };

/** The worker checks every minute, so an occurrence is not late before two minutes have passed. */
const lateAfterMs = 120_000;

/** Returns the occurrences without an outcome: they wait, were missed, or are still to come. */
async function openEntries(db: Db, { kind, schedule, known, starts, ends, now }: Open): Promise<Entry[]> {
  const versions = await selectVersions(db, kind);
  const { enabled } = schedule.recurrence((await selectSettings(db, kind, now)).settings);
  const scheduled = { kind, schedule };
  const blockedSchedule = enabled ? await findBlockedSchedule(db, scheduled, now) : null;
  const blocking = blockedSchedule !== null && isBlocking(scheduled, blockedSchedule) ? blockedSchedule.run : null;
  const open = await openOccurrences(db, { ...scheduled, versions, starts, ends, now, blocked: blocking !== null });
  return open
    .filter((at) => at >= starts && at < ends && !known.has(at.getTime()))
    .map((at) => {
      if (blocking) return { kind, at, outcome: 'waiting', run: blocking, why: null };
      if (enabled && at.getTime() > now.getTime() - lateAfterMs)
        return { kind, at, outcome: 'coming', run: null, why: null };
      return { kind, at, outcome: 'missed', run: null, why: whyMissed(schedule, enabled) };
    });
}

function whyMissed({ catchUp }: Scheduled['schedule'], enabled: boolean): Reason {
  if (!enabled) return { code: 'schedule-disabled', params: {} };
  return { code: catchUp === 'every-period' ? 'catching-up' : 'not-started', params: {} };
}

type OccurrenceQuery = Span & Scheduled & { versions: Awaited<ReturnType<typeof selectVersions>>; blocked: boolean };

/** Returns the unpaid occurrences. Behind a blocked payout all of them wait, even those of a disabled schedule. */
async function openOccurrences(db: Db, { kind, schedule, versions, starts, ends, now, blocked }: OccurrenceQuery) {
  const due = occurrencesIn(versions, { schedule, from: starts, until: ends });
  const coming = due.filter(({ at }) => at > now).map(({ at }) => at);
  const past = due.filter(({ at }) => at <= now);
  if (schedule.catchUp === 'every-period') {
    const unpaid = (await schedule.unpaidPeriods(db, now)).map(schedule.dueAt);
    const wasDue = new Set(past.map(({ at }) => at.getTime()));
    return [...unpaid.filter((at) => blocked || wasDue.has(at.getTime())), ...coming];
  }
  const unpaid = [];
  for (const { at, settings } of past) {
    const { period } = schedule.periodAt(at, settings);
    if (!(await isFullyPaid(db, { kind, period }))) unpaid.push(at);
  }
  return [...unpaid, ...coming];
}
