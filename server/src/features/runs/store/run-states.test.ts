import { isOver, runTransitions } from 'contract/run-states.ts';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import type { Tx } from '#server/core/db/db.ts';
import type { RunState } from '#server/core/db/schema.gen.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { testReason } from '#server/core/testing/runs.ts';
import { storedState, transitionOf } from './transitions.ts';
import { insertRun, lockRun, updateRun } from './run-queries.ts';

const db = await testDatabase();
afterAll(() => db[Symbol.asyncDispose]());

const { rows: known } = await sql<{ state: RunState; over: boolean }>`
  select state, state >= 'completed' as over from unnest(enum_range(null::run_state)) as state`.execute(db.owner);
const states = known.map(({ state }) => state);

/** The transitions of the contract as they are stored. An approval request does not change the stored state. */
const stored = runTransitions
  .map(({ from, to, ...row }) => ({ ...row, from: from && storedState(from), to: storedState(to) }))
  .filter(({ from, to }) => from !== to);

const nameOf = ({ from, to }: { from: RunState | null; to: RunState }) => `${from ?? 'nothing'} -> ${to}`;

test('the database has the states of the contract, and the same ones are final', () => {
  expect(states.toSorted()).toEqual([...new Set(runTransitions.map(({ to }) => storedState(to)))].toSorted());
  expect(known).toEqual(states.map((state) => ({ state, over: isOver(state) })));
});

test('the database table has the transitions of the contract', async () => {
  const rows = await db.database.selectFrom('runTransition').select(['fromState as from', 'toState as to']).execute();
  expect(rows.map(nameOf).toSorted()).toEqual([...new Set(stored.map(nameOf))].toSorted());
});

/** Whether a run in this state has a plan: one that failed or was canceled may have none yet. */
const plansIn = (from: RunState | null) => {
  if (from === null || from === 'planning') return [false];
  return from === 'failed' || from === 'cancelled' ? [false, true] : [true];
};

type Attempt = { from: RunState | null; to: RunState; hasPlan: boolean };

const endOf = (state: RunState) => (isOver(state) ? sql`now()` : sql`null`);

/** Inserts a run in the given state, bypassing the triggers. */
async function place(tx: Tx, { state, hasPlan }: { state: RunState; hasPlan: boolean }) {
  await sql`set local session_replication_role = replica`.execute(tx);
  const { rows } = await sql<{ id: string }>`
    insert into run (kind, period, day, part, asset, settings, settings_version, as_of, state, why, plan_hash, started_at, ended_at)
    values ('rank-bonus', 'x', '2026-03-10', 0, 'USD', '{}', 1, now(), ${state}::run_state, ${testReason},
      ${hasPlan ? 'x' : null}, ${hasPlan ? sql`now()` : sql`null`}, ${endOf(state)})
    returning id`.execute(tx);
  await sql`set local session_replication_role = origin`.execute(tx);
  return rows[0]?.id;
}

/** Satisfies all other checks of the table, so that only the transition can be refused. */
async function move(tx: Tx, { from, to, hasPlan }: Attempt) {
  if (from === null) {
    await sql`insert into run (kind, period, day, part, asset, settings, settings_version, as_of, state, why, ended_at)
      values ('rank-bonus', 'x', '2026-03-10', 0, 'USD', '{}', 1, now(), ${to}::run_state, ${testReason}, ${endOf(to)})`.execute(
      tx,
    );
    return;
  }
  const id = await place(tx, { state: from, hasPlan });
  await sql`update run set state = ${to}::run_state, ended_at = ${endOf(to)},
    plan_hash = coalesce(plan_hash, ${to === 'planned' ? 'x' : null}) where id = ${id}`.execute(tx);
}

/** Returns undefined if the transition is allowed, otherwise the error code. */
async function refusalOf(attempt: Attempt) {
  const done = new Error('It was allowed.');
  const refused: unknown = await db.owner
    .transaction()
    .execute(async (tx) => {
      await move(tx, attempt);
      throw done;
    })
    .catch((error: unknown) => error);
  return refused === done ? undefined : (refused as { code?: unknown }).code;
}

test.each([null, ...states])(
  'the database allows a run in state %s exactly the transitions of the contract',
  async (from) => {
    for (const to of states.filter((state) => state !== from)) {
      const rows = stored.filter((row) => row.from === from && row.to === to);
      for (const hasPlan of plansIn(from)) {
        const allowed = rows.some((row) => row.hasPlan === undefined || row.hasPlan === hasPlan);
        // A run with the wrong plan for a transition may also be stopped by a check of the table.
        const refused = expect.stringMatching(rows.length > 0 ? /^(BU002|23514)$/ : /^BU00[12]$/);
        expect(await refusalOf({ from, to, hasPlan }), `${to}, has a plan: ${hasPlan}`).toEqual(
          allowed ? undefined : refused,
        );
      }
    }
  },
);

test('the server changes a run only by the table of transitions', async () => {
  const settings = {
    kind: 'rank-bonus',
    asset: 'USD',
    settings: {},
    settingsVersion: 1,
    plannedBy: null,
    asOf: new Date(),
  } as const;
  await db.worker.transaction().execute(async (tx) => {
    const id = await insertRun(tx, { ...settings, period: 'x', day: '2026-03-10', part: 0 });
    const run = await lockRun(tx, id);
    if (!run) throw new Error('The run is gone.');
    await expect(updateRun(tx, run, { event: 'complete' })).rejects.toThrow(
      'A run that is planning has no transition "complete".',
    );
    const elsewhere = { ...run, state: 'running', planHash: 'x' } as const;
    await expect(updateRun(tx, elsewhere, { event: 'complete' })).rejects.toThrow('is no longer running');
    expect(await updateRun(tx, run, { event: 'cancel', why: { code: 'cancelled', params: { by: 'ann' } } })).toBe(
      'cancelled',
    );
    const over = await lockRun(tx, id);
    expect(over).toMatchObject({ state: 'cancelled', startedAt: null, endedAt: expect.any(Date) });
  });
});

test('a failed run is retried at the step that failed', () => {
  expect(transitionOf({ state: 'failed', planHash: null }, 'retry').to).toBe('planning');
  expect(transitionOf({ state: 'failed', planHash: 'x' }, 'retry').to).toBe('running');
});

test('a run is started and approved once, and resumed or retried without being started again', () => {
  const run = { planHash: 'x' };
  expect(transitionOf({ ...run, state: 'planned' }, 'start')).toEqual({ to: 'running', starts: true, ends: false });
  expect(transitionOf({ ...run, state: 'waiting' }, 'approve')).toEqual({ to: 'running', starts: true, ends: false });
  expect(transitionOf({ ...run, state: 'paused' }, 'resume')).toEqual({ to: 'running', starts: false, ends: false });
  expect(transitionOf({ ...run, state: 'failed' }, 'retry')).toEqual({ to: 'running', starts: false, ends: false });
});
