import type { Database } from '../../server/src/core/db/db.ts';
import type { Chance } from '../processes/chance.ts';
import type { Fixture } from '../processes/fixture.ts';
import type { Engine } from './engine.ts';
import { type Poll, polls } from './looks.ts';

const dayMs = 86_400_000;
const never = new AbortController().signal;

export type Span = { firstDay: string; days: number };
export type Simulation = { latestSeen: Date; ends: Date; polled: number; early: Early };
/** Runs that started before their day was over, or before their time, by the true clock. */
type Early = { days: Set<string>; distributions: Set<string> };

/** Simulates a worker over that many days. There is no queue: the simulation decides when the worker proceeds. */
export async function simulate(
  fixture: Fixture,
  engine: Engine,
  { firstDay, days, chance }: Span & { chance: Chance },
) {
  const { database } = engine.connect({
    url: fixture.url,
    role: 'bursar_worker',
    connections: 4,
    statementTimeoutMs: 60_000,
    onLostConnection: () => undefined,
  });
  const starts = new Date(Date.parse(firstDay) + dayMs);
  const ends = new Date(starts.getTime() + days * dayMs);
  const simulation: Simulation = {
    latestSeen: starts,
    ends,
    polled: 0,
    early: { days: new Set(), distributions: new Set() },
  };
  try {
    for (const poll of polls(starts, ends, chance)) await runPoll(fixture, { engine, database, poll, simulation });
    const last = { truly: ends, seen: ends, triggers: true, works: true, twice: false };
    for (let more = 0; more < days && (more === 0 || (await isBehind(fixture, ends))); more += 1) {
      await runPoll(fixture, { engine, database, poll: last, simulation });
    }
  } finally {
    await database.destroy();
  }
  return simulation;
}

type PollParams = { engine: Engine; database: Database; poll: Poll; simulation: Simulation };

async function runPoll(fixture: Fixture, { engine, database, poll, simulation }: PollParams) {
  const { truly, seen, triggers, works, twice } = poll;
  simulation.polled += 1;
  if (triggers) {
    const trigger = () => engine.triggerDueRuns(database, { enqueue: async () => undefined, now: seen });
    await Promise.all(twice ? [trigger(), trigger()] : [trigger()]);
    if (seen > simulation.latestSeen) simulation.latestSeen = seen;
    if (seen > truly) await recordEarly(fixture, truly, simulation.early);
  }
  if (works) await processRuns(fixture, engine, database);
}

async function processRuns({ pool }: Fixture, engine: Engine, database: Database) {
  const { rows } = await pool.query<{ id: string }>(`select id from run where state = 'planning'`);
  for (const { id } of rows) await engine.planRun({ database }, id, never);
  await engine.payRuns({ database, endStakes: engine.endStakes }, never);
}

async function recordEarly({ pool }: Fixture, truly: Date, early: Early) {
  const { rows } = await pool.query<{ kind: string; at: string }>(
    `select kind, due_at::text as at from run_due where outcome = 'triggered' and due_at > $1`,
    [truly],
  );
  for (const { kind, at } of rows) (kind === 'stake-payout' ? early.days : early.distributions).add(at);
}

/** Each poll pays at most one day, so days may be left to pay, and a run may still be active. */
async function isBehind({ pool }: Fixture, now: Date) {
  const { rows } = await pool.query<{ behind: boolean }>(
    `select exists (select from run where state < 'completed')
       or not exists (select from run where kind = 'stake-payout' and day >= ($1::timestamptz - interval '1 day')::date)
       as behind`,
    [now],
  );
  return rows[0]?.behind ?? false;
}
