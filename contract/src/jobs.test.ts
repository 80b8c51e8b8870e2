import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Frequency, UtcOffset, nextRuns } from './recurrence.ts';
import { GmpDistribution } from './jobs-gmp-distro.ts';
import { StakePayout, payoutRecurrence } from './jobs-stake-payout.ts';
import { RankBonus } from './jobs-rank-bonus.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

type Recurrence = Parameters<typeof nextRuns>[0];

/** Returns a time zone for Intl, such as "+05:45". Intl does its own arithmetic, independent of the tested code. */
function zoneOf(utcOffset: number) {
  const minutes = Math.abs(utcOffset) * 60;
  const two = (figure: number) => String(figure).padStart(2, '0');
  return `${utcOffset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Returns a function that gives the local time, day and weekday at that offset. */
function wallClock(utcOffset: number) {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zoneOf(utcOffset),
    weekday: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (at: number) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    return { time: `${parts['hour']}:${parts['minute']}`, day: parts['day'], weekday: parts['weekday'] };
  };
}

/** The reference implementation: steps through time and collects the instants whose local time matches. */
function expectedRuns({ frequency, time, weekday, utcOffset }: Recurrence, from: Date, count: number) {
  const localTime = wallClock(utcOffset);
  const isDue = (at: number) => {
    const shown = localTime(at);
    if (shown.time !== time) return false;
    if (frequency === 'Weekly') return shown.weekday === weekdays[weekday - 1];
    return frequency === 'Daily' || shown.day === '1';
  };
  const runs: number[] = [];
  // The local time comes up once a day, at the same time of every UTC day.
  let at = Math.floor(from.getTime() / 60_000) * 60_000 + 60_000;
  while (localTime(at).time !== time) at += 60_000;
  for (; runs.length < count; at += dayMs) if (isDue(at)) runs.push(at);
  return runs.map((run) => new Date(run));
}

const quarters = fc.integer({ min: -48, max: 56 }).map((quarter) => quarter / 4);
const times = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`);
const recurrences = fc.record({
  frequency: fc.constantFrom(...Frequency.options),
  time: times,
  weekday: fc.integer({ min: 1, max: 7 }),
  utcOffset: quarters,
});
const anyTimestamp = fc.date({ min: new Date('2019-01-01'), max: new Date('2033-12-31'), noInvalidDate: true });
/** Within a day of a leap day, or of the end of a month or year. */
const turns = fc
  .tuple(
    fc.constantFrom('2024-02-29', '2024-03-01', '2025-03-01', '2028-02-29', '2026-01-01', '2026-05-01', '2100-03-01'),
    fc.integer({ min: -dayMs, max: dayMs }),
  )
  .map(([day, ms]) => new Date(Date.parse(day) + ms));
const timestamps = fc.oneof(anyTimestamp, turns);

test('the next runs are when the local clock at that offset shows the day and time', () => {
  fc.assert(
    fc.property(recurrences, timestamps, (recurrence, from) => {
      expect(nextRuns(recurrence, from, 5)).toEqual(expectedRuns(recurrence, from, 5));
    }),
    { numRuns: 400 },
  );
});

test('the next runs are after now, in order, and as many as requested', () => {
  fc.assert(
    fc.property(recurrences, timestamps, fc.integer({ min: 1, max: 30 }), (recurrence, from, count) => {
      const runs = nextRuns(recurrence, from, count).map((run) => run.getTime());
      expect(runs).toHaveLength(count);
      expect([from.getTime(), ...runs]).toEqual([...new Set([from.getTime(), ...runs])].toSorted((a, b) => a - b));
    }),
  );
});

test('the next runs after a run start with the one that follows it', () => {
  fc.assert(
    fc.property(recurrences, timestamps, (recurrence, from) => {
      const [first = from, ...rest] = nextRuns(recurrence, from, 5);
      expect(nextRuns(recurrence, first, 4)).toEqual(rest);
      expect(nextRuns(recurrence, new Date(first.getTime() - 1), 1)).toEqual([first]);
    }),
  );
});

const examples: [string, Partial<Recurrence>, Record<'from' | 'next', string>][] = [
  ['west of UTC', { time: '20:00', utcOffset: -12 }, { from: '2026-03-10T07:59:59Z', next: '03-10T08:00' }],
  ['east of UTC', { time: '00:30', utcOffset: 14 }, { from: '2026-03-10T12:00:00Z', next: '03-11T10:30' }],
  ['a quarter hour off', { utcOffset: 5.75 }, { from: '2026-03-10T12:00:00Z', next: '03-10T18:15' }],
  [
    'after the leap day',
    { frequency: 'Monthly', time: '12:00' },
    { from: '2028-02-29T12:00:00Z', next: '03-01T12:00' },
  ],
  [
    'on the 1st local time, not in UTC',
    { frequency: 'Monthly', time: '06:00', utcOffset: 14 },
    { from: '2026-04-30T12:00:00Z', next: '04-30T16:00' },
  ],
  [
    'on Sunday local time, Monday in UTC',
    { frequency: 'Weekly', time: '23:00', weekday: 7, utcOffset: -6 },
    { from: '2026-11-15T12:00:00Z', next: '11-16T05:00' },
  ],
];
test.each(examples)('nextRuns finds the next run %s', (_where, given, { from, next }) => {
  const [run] = nextRuns({ ...payoutRecurrence, ...given }, new Date(from), 1);
  expect(run?.toISOString().slice(5, 16)).toBe(next);
});

test('a payout is due when its UTC day ends', () => {
  const runs = nextRuns(payoutRecurrence, new Date('2024-02-28T00:00:00Z'), 3).map((run) => run.toISOString());
  expect(runs).toEqual(['2024-02-29T00:00:00.000Z', '2024-03-01T00:00:00.000Z', '2024-03-02T00:00:00.000Z']);
});

test('an offset is a quarter hour from -12 to +14', () => {
  for (const offset of [-12, 14, 0, 5.5, 5.75, -3.25])
    expect(UtcOffset.safeParse(offset).success, `${offset}`).toBe(true);
  for (const offset of [-12.25, 14.25, 0.1, Number.NaN])
    expect(UtcOffset.safeParse(offset).success, `${offset}`).toBe(false);
});

test('the three shares of a payout add up to at most 100 percent', () => {
  const share = fc.integer({ min: 0, max: 10_000 });
  fc.assert(
    fc.property(share, share, share, (base, bonus, loyalty) => {
      const sent = { enabled: true, baseReward: base / 100, bonusReward: bonus / 100, loyaltyReward: loyalty / 100 };
      const fits = base + bonus + loyalty <= 10_000;
      const read = StakePayout.safeParse(sent);
      expect(read.success).toBe(fits);
      expect(read.data && z.encode(StakePayout, read.data)).toEqual(fits ? sent : undefined);
    }),
  );
});

const distribution = {
  amount: '1000.00',
  frequency: 'Daily',
  time: '00:00',
  enabled: false,
  weekday: 1,
  utcOffset: 0,
  percentage: 100,
};

test.each([
  ['a zero amount', { amount: '0' }],
  ['a negative amount', { amount: '-1' }],
  ['an amount with too many decimals', { amount: '0.0000001' }],
  ['a weekday before Monday', { weekday: 0 }],
  ['a weekday after Sunday', { weekday: 8 }],
  ['a time past 23:59', { time: '24:00' }],
  ['a time without its leading zero', { time: '9:30' }],
  ['an unknown frequency', { frequency: 'Hourly' }],
  ['more than 100 percent', { percentage: 100.01 }],
])('a distribution with %s is refused', (_what, change) => {
  expect(GmpDistribution.safeParse(distribution).success).toBe(true);
  expect(GmpDistribution.safeParse({ ...distribution, ...change }).success).toBe(false);
});

test('a rank bonus is more than 0 and at most 1,000,000', () => {
  const fits = (bonusAmount: string) => RankBonus.safeParse({ rank: 'Silver', bonusAmount }).success;
  expect(['0.000001', '10', '1000000'].map(fits)).toEqual([true, true, true]);
  expect(['0', '-5', '1000000.000001'].map(fits)).toEqual([false, false, false]);
});
