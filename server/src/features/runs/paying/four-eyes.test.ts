import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { Database, Tx } from '#server/core/db/db.ts';
import { type TestDatabase, testDatabase } from '#server/core/testing/database.ts';
import { addUser } from '#server/core/testing/user.ts';
import { runsOf, setRunLimit, steeringOf } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { readRun } from '../reading/detail.ts';

/* The SQL that a compromised API process could send, with the rights of its database role. */
let db: TestDatabase;
let runs: ReturnType<typeof runsOf>;
let ann: string;
let ben: string;
let run: string;
beforeEach(async () => {
  db = await testDatabase();
  runs = runsOf(db);
  ann = (await addAdmin(db.owner, { username: 'ann' })).id;
  ben = (await addAdmin(db.owner, { username: 'ben' })).id;
  await fillTreasury(db.owner, 'USD', 10n ** 12n);
  const { id: userId } = await addUser(db.owner, { rank: 'Gold' });
  await addStake(db.owner, { userId, units: 1_000_000_000n, days: 9, placedOn: '2026-03-01' });
  run = await planned();
  return () => db[Symbol.asyncDispose]();
});

const noon = new Date('2026-03-11T12:00:00Z');
/** The units that the run of an ending stake moves: 0.70 paid, 0.30 set aside and 0.30 released. */
const moves = 1_300_000n;

async function planned() {
  const { id } = await runs.create('stake-payout', noon);
  return (await runs.plan(id)).id;
}

type Decision = {
  subject?: string;
  plan?: string | null;
  units?: bigint;
  maker?: string | null;
  state?: string;
  rule?: 'second' | 'limit' | 'single' | 'schedule';
  by?: string | null;
};

/** Inserts a request and decides it, unless its state is 'waiting'. */
async function decide(tx: Tx, { subject = run, plan, units = moves, maker = ann, ...decision }: Decision = {}) {
  const { state = 'approved', rule = 'second', by = ben } = decision;
  const { planHash } = await runs.read(run);
  const facts = [{ key: 'planHash', value: plan === undefined ? planHash : plan }];
  await sql`insert into approval (kind, subject_id, payload, digest, asset, units, requested_by, expires_at)
    values ('run', ${subject}, ${JSON.stringify({ userUuid: null, facts })}::jsonb, '', 'USD', ${units}, ${maker},
      now() + interval '1 hour')`.execute(tx);
  if (state === 'waiting') return;
  await sql`update approval set state = ${sql.lit(state)}, decided_by = ${by}, decided_at = now(), reason = 'Said so.',
    rule = ${state === 'approved' ? rule : null} where state = 'waiting'`.execute(tx);
}

const decideBefore = (decision?: Decision) => db.database.transaction().execute((tx) => decide(tx, decision));

type Start = { startedBy?: string | null; approvedBy?: string | null; decision?: Decision; as?: Database };

/** Starts the run in the transaction of the decision, if there is one. */
const start = (id: string, { startedBy = ann, approvedBy = null, decision, as = db.database }: Start = {}) =>
  as.transaction().execute(async (tx) => {
    if (decision) await decide(tx, { subject: id, ...decision });
    await sql`update run set state = 'running', started_at = now(), started_by = ${startedBy}, approved_by = ${approvedBy}
      where id = ${id}`.execute(tx);
  });

const onSchedule = (id: string, decision: Decision = {}) =>
  start(id, { startedBy: null, as: db.worker, decision: { rule: 'schedule', maker: null, by: null, ...decision } });
const alone = (id: string, decision: Decision = {}) => start(id, { decision: { rule: 'limit', by: ann, ...decision } });
const together = (decision: Decision = {}) => start(run, { startedBy: ann, approvedBy: ben, decision });

const refused = (message: string) => ({ code: 'BU001', message });
const notDecided = refused('NotDecided');

test('a scheduled run starts up to the limit of the schedule', async () => {
  await setRunLimit(db.owner, moves - 1n);
  await expect(start(run, { startedBy: null, as: db.worker })).rejects.toMatchObject(notDecided);
  await expect(onSchedule(run)).rejects.toMatchObject(refused('AboveLimit'));
  await expect(onSchedule(run, { units: moves - 1n })).rejects.toMatchObject(notDecided);
  await setRunLimit(db.owner, moves);
  await onSchedule(run);
  expect(await runs.pay(run)).toMatchObject({ state: 'completed', startedBy: null, approvedBy: null });
});

test('a run up to the limit is decided by its maker; above it, another administrator must approve exactly its plan', async () => {
  await setRunLimit(db.owner, moves);
  await expect(start(run)).rejects.toMatchObject(notDecided);
  await alone(run);
  expect(await runs.pay(run)).toMatchObject({ state: 'completed', startedBy: 'ann', approvedBy: null });

  const back = await runs.reverse(run);
  run = back.id;
  // A reversal that locks a stake again takes it from its owner, so the stake counts toward the limit.
  const units = moves + 1_000_000_000n;
  // What ann has moved alone today counts too.
  await setRunLimit(db.owner, moves + units - 1n);
  await expect(alone(run, { units })).rejects.toMatchObject(refused('AboveLimit'));
  await setRunLimit(db.owner, moves + units);
  await expect(alone(run, { units: moves })).rejects.toMatchObject(notDecided);
  await alone(run, { units });
  await runs.pay(run);

  run = await planned();
  await expect(alone(run)).rejects.toMatchObject(refused('AboveLimit'));
  await expect(start(run, { startedBy: ann, approvedBy: ben })).rejects.toMatchObject(notDecided);
  await expect(start(run, { decision: {} })).rejects.toMatchObject(notDecided);
  const swapped = start(run, { startedBy: ben, approvedBy: ann, decision: {} });
  await expect(swapped).rejects.toMatchObject(notDecided);
  await expect(start(run, { startedBy: ben, approvedBy: ben, decision: {} })).rejects.toMatchObject(notDecided);
  await together();
  expect(await runs.pay(run)).toMatchObject({ state: 'completed', startedBy: 'ann', approvedBy: 'ben' });
});

test.each<[string, Decision]>([
  ['is still waiting', { state: 'waiting' }],
  ['was denied', { state: 'denied' }],
  ['is for another plan', { plan: 'f'.repeat(64) }],
  ['names no plan', { plan: null }],
  ['is for another run', { subject: '019c0000-0000-7000-8000-000000000009' }],
  ['is for a smaller amount', { units: moves - 1n }],
  ['is for a larger amount', { units: moves + 1n }],
])('a request that %s does not approve the run', async (_what, request) => {
  await setRunLimit(db.owner, 0n);
  await expect(together(request)).rejects.toMatchObject(notDecided);
  expect(await runs.read(run)).toMatchObject({ startedAt: null });
});

test('a request that was approved in an earlier transaction does not start the run', async () => {
  await decideBefore();
  await expect(start(run, { startedBy: ann, approvedBy: ben })).rejects.toMatchObject(notDecided);
});

test('a request cannot be inserted as approved', async () => {
  const born = sql`insert into approval (kind, subject_id, payload, digest, asset, units, requested_by, expires_at, state,
      rule, decided_by, decided_at)
    values ('run', ${run}, '{}', '', 'USD', ${moves}, ${ann}, now() + interval '1 hour', 'approved', 'second', ${ben}, now())`;
  await expect(born.execute(db.database)).rejects.toMatchObject({ code: 'BU002' });
});

test('a run whose plan was denied shows who denied it and why, until approval is requested again', async () => {
  await decideBefore({ state: 'denied' });
  expect((await readRun(db.database, run, { id: ann })).denial).toEqual({ by: 'ben', reason: 'Said so.' });
  await decideBefore({ state: 'waiting' });
  expect((await readRun(db.database, run, { id: ann })).denial).toBeNull();
});

test('a requester can approve their own run only if the installation allows self-approval', async () => {
  await setRunLimit(db.owner, 0n);
  const self = (rule: 'second' | 'single') =>
    start(run, { startedBy: ann, approvedBy: ann, decision: { by: ann, rule } });
  await expect(self('second')).rejects.toMatchObject(refused('OwnRequest'));
  await self('single');
  expect(await runs.pay(run)).toMatchObject({ state: 'completed' });
});

test('a started run continues after the limit is lowered, and its starter cannot be changed', async () => {
  await setRunLimit(db.owner, moves);
  await alone(run);
  await setRunLimit(db.owner, 0n);
  const { steer } = steeringOf(db);
  await steer(run, 'pause');
  const another = sql`update run set started_by = ${ben} where id = ${run}`;
  await expect(another.execute(db.database)).rejects.toMatchObject({ code: 'BU002' });
  const undone = sql`update run set started_at = null where id = ${run}`;
  await expect(undone.execute(db.database)).rejects.toMatchObject({ code: 'BU002' });
  await steer(run, 'resume');
  expect(await runs.pay(run)).toMatchObject({ state: 'completed' });
});

test('a run cannot skip planning or starting', async () => {
  await setRunLimit(db.owner, 0n);
  const unstarted = sql`update run set state = 'running' where id = ${run}`;
  await expect(unstarted.execute(db.database)).rejects.toThrow('run_started');
  for (const state of ['paused', 'completed']) {
    const jump = sql`update run set state = ${sql.lit(state)}, ended_at = case when ${state} = 'completed' then now() end
      where id = ${run}`;
    await expect(jump.execute(db.database), state).rejects.toThrow(`a run cannot become ${state} from planned`);
  }
  const early = sql`update run set started_at = now() where id = ${run}`;
  await expect(early.execute(db.database)).rejects.toMatchObject({ code: 'BU002' });
  const born = sql`insert into run (kind, period, day, part, asset, settings, settings_version, as_of, started_at)
    values ('rank-bonus', 'x', '2026-03-10', 0, 'USD', '{}', 1, now(), now())`;
  await expect(born.execute(db.database)).rejects.toMatchObject({ code: 'BU002' });
  const planning = await runs.create('gmp-distro', noon);
  const unplanned = sql`update run set state = 'running', started_at = now(), plan_hash = 'x' where id = ${planning.id}`;
  await expect(unplanned.execute(db.worker)).rejects.toMatchObject({ code: 'BU002' });
});
