import type { Database } from '../../server/src/core/db/db.ts';
import type { Chance } from '../processes/chance.ts';
import type { Fixture } from '../processes/fixture.ts';
import type { Engine } from './engine.ts';
import { type Look, looks } from './looks.ts';

const dayMs = 86_400_000;
const never = new AbortController().signal;

export type Span = { firstDay: string; days: number };
export type Lived = { latestSeen: Date; ends: Date; looked: number; early: Early };
/** What was started before its day was over, or its hour had come, by the true clock. */
type Early = { days: Set<string>; distributions: Set<string> };

/** What a worker does over so many days, without the queue: it goes on when the simulation says so. */
export async function live(fixture: Fixture, engine: Engine, { firstDay, days, chance }: Span & { chance: Chance }) {
  const { database } = engine.connect({
    url: fixture.url,
    role: 'bursar_worker',
    connections: 4,
    statementTimeoutMs: 60_000,
    onLostConnection: () => undefined,
  });
  const starts = new Date(Date.parse(firstDay) + dayMs);
  const ends = new Date(starts.getTime() + days * dayMs);
  const lived: Lived = { latestSeen: starts, ends, looked: 0, early: { days: new Set(), distributions: new Set() } };
  try {
    for (const look of looks(starts, ends, chance)) await takeALook(fixture, { engine, database, look, lived });
    const last = { truly: ends, seen: ends, triggers: true, works: true, twice: false };
    for (let more = 0; more < days && (more === 0 || (await isBehind(fixture, ends))); more += 1) {
      await takeALook(fixture, { engine, database, look: last, lived });
    }
  } finally {
    await database.destroy();
  }
  return lived;
}

type Looking = { engine: Engine; database: Database; look: Look; lived: Lived };

async function takeALook(fixture: Fixture, { engine, database, look, lived }: Looking) {
  const { truly, seen, triggers, works, twice } = look;
  lived.looked += 1;
  if (triggers) {
    const trigger = () => engine.triggerDueRuns(database, { enqueue: async () => undefined, now: seen });
    await Promise.all(twice ? [trigger(), trigger()] : [trigger()]);
    if (seen > lived.latestSeen) lived.latestSeen = seen;
    if (seen > truly) await noteEarly(fixture, truly, lived.early);
  }
  if (works) await workOff(fixture, engine, database);
}

async function workOff({ pool }: Fixture, engine: Engine, database: Database) {
  const deps = { database, enqueue: async () => undefined, endStakes: engine.endStakes };
  const inState = async (state: string) =>
    (await pool.query<{ id: string }>('select id from run where state = $1::run_state', [state])).rows;
  for (const { id } of await inState('planning')) await engine.planRun(deps, id, never);
  for (const { id } of await inState('running')) await engine.payRun(deps, id, never);
}

async function noteEarly({ pool }: Fixture, truly: Date, early: Early) {
  const { rows } = await pool.query<{ kind: string; at: string }>(
    `select kind, due_at::text as at from run_due where outcome = 'fired' and due_at > $1`,
    [truly],
  );
  for (const { kind, at } of rows) (kind === 'stake-payout' ? early.days : early.distributions).add(at);
}

/** Days are paid one at a look: some may still be to come, and a run may still be under way. */
async function isBehind({ pool }: Fixture, now: Date) {
  const { rows } = await pool.query<{ behind: boolean }>(
    `select exists (select from run where state < 'completed')
       or not exists (select from run where kind = 'stake-payout' and day >= ($1::timestamptz - interval '1 day')::date)
       as behind`,
    [now],
  );
  return rows[0]?.behind ?? false;
}
