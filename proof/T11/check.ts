import { faultsOf, type Fixture } from '../processes/fixture.ts';
import { compareDays, dayAfter, isFlawless } from '../processes/stakes.ts';
import { dueBetween, type Schedule } from './schedule.ts';
import type { Simulation, Span } from './simulate.ts';
import { sharesOf } from './world.ts';

type Done = { kind: string; period: string; day: string; state: string; runs: number };
type Noted = { kind: string; at: Date; outcome: string; period: string | null; state: string | null };

type Found = { faults: string[]; days: number; distributions: Record<string, number> };

/** Checks that every period is paid once and that every due occurrence is recorded. */
export async function check(
  fixture: Fixture,
  { schedule, span, simulation }: { schedule: Schedule; span: Span; simulation: Simulation },
) {
  const { rows: runs } = await fixture.pool.query<Done>(
    `select kind, period, day::text, min(state)::text as state, count(*)::int as runs
     from run group by kind, period, day order by kind, day`,
  );
  const { rows: noted } = await fixture.pool.query<Noted>(
    `select due.kind, due.due_at as at, due.outcome, run.period, run.state
     from run_due as due left join run on run.id = due.run_id order by due.due_at`,
  );
  const faults = runs
    .filter((run) => run.runs > 1 || run.state !== 'completed')
    .map(({ kind, period, state, runs: times }) => `${kind} ${period} was run ${times} times and is ${state}`);
  const days = runs.filter(({ kind }) => kind === 'stake-payout').map(({ day }) => day);
  faults.push(...(await faultsOfDays(fixture, { days, span, simulation, noted })));
  const distributions = await faultsOfDistributions(fixture, { schedule, span, simulation, noted });
  faults.push(...distributions.faults, ...(await faultsOf(fixture)));
  return { faults, days: days.length, distributions: distributions.outcomes } satisfies Found;
}

type Days = { days: string[]; span: Span; simulation: Simulation; noted: Noted[] };

async function faultsOfDays(fixture: Fixture, { days, span, simulation, noted }: Days) {
  const faults: string[] = [];
  const wrong = days.filter((day, at) => day !== dayAfter(span.firstDay, at));
  if (wrong.length > 0) faults.push(`days are left out or too many: ${wrong.slice(0, 3).join(', ')}`);
  const lastOver = dayAfter(simulation.ends.toISOString().slice(0, 10), -1);
  if ((days.at(-1) ?? '') < lastOver) faults.push(`the last day that was paid is ${days.at(-1)}`);
  const payments = await compareDays(fixture.owner, days);
  if (!isFlawless(payments)) faults.push(`what stakes were paid: ${JSON.stringify(payments)}`);
  const { rows } = await fixture.pool.query<{ days: number }>(
    `select count(distinct day)::int as days from transfer where kind = 'stake-base' and day >= $1::date`,
    [span.firstDay],
  );
  if (rows[0]?.days !== days.length) faults.push(`${rows[0]?.days} days have payments, and ${days.length} have runs`);
  const due = noted
    .filter(({ kind }) => kind === 'stake-payout')
    .map(({ at, period }) => `${at.toISOString()} ${period}`);
  const expected = days.map((day) => `${dayAfter(day, 1)}T00:00:00.000Z ${day}`);
  faults.push(...difference('stake-payout', due, expected));
  return faults;
}

type Distributions = { schedule: Schedule; span: Span; simulation: Simulation; noted: Noted[] };

async function faultsOfDistributions(fixture: Fixture, { schedule, span, simulation, noted }: Distributions) {
  const expected = dueBetween(schedule, new Date(span.firstDay), simulation.latestSeen);
  const own = noted.filter(({ kind }) => kind === 'gmp-distro');
  const faults = difference(
    'gmp-distro',
    own.map(({ at }) => at.toISOString()),
    expected.map(({ at }) => at.toISOString()),
  );
  const occurrences = new Map(expected.map((occurrence) => [occurrence.at.getTime(), occurrence]));
  const triggered = own.filter(({ outcome }) => outcome === 'triggered');
  for (const { at, period, state } of triggered) {
    const expectedPeriod = occurrences.get(at.getTime())?.period;
    if (period !== expectedPeriod || state !== 'completed')
      faults.push(`${at.toISOString()} is for ${expectedPeriod}; its run was for ${period} and is ${state}`);
  }
  const shares = await sharesOf(fixture);
  const { rows } = await fixture.pool.query<{ paid: string }>(
    `select concat_ws(' ', day, user_id, units) as paid from transfer where kind = 'gmp' order by day, user_id`,
  );
  const due = triggered.flatMap(({ at }) =>
    [...shares].map(([id, units]) => `${occurrences.get(at.getTime())?.firstDay} ${id} ${units}`),
  );
  faults.push(
    ...difference(
      'gmp',
      rows.map(({ paid }) => paid),
      due,
    ),
  );
  const outcomes: Record<string, number> = {};
  for (const { outcome } of own) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  return { faults, outcomes };
}

const shown = 3;

/** Reports elements that are not in both lists equally often. */
function difference(of: string, found: string[], expected: string[]) {
  const count = new Map<string, number>();
  for (const one of found) count.set(one, (count.get(one) ?? 0) + 1);
  for (const one of expected) count.set(one, (count.get(one) ?? 0) - 1);
  const wrong = [...count].filter(([, times]) => times !== 0);
  if (wrong.length === 0) return [];
  const examples = wrong.slice(0, shown).map(([one, times]) => `${one} ${times > 0 ? 'too often' : 'missing'}`);
  return [`${of}: ${wrong.length} differ, as ${examples.join('; ')}`];
}
