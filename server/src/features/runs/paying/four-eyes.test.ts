import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
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

type Starters = { startedBy?: string | null; approvedBy?: string | null };

const start = (id: string, { startedBy = ann, approvedBy = null }: Starters = {}) =>
  sql`update run set state = 'running', started_at = now(), started_by = ${startedBy}, approved_by = ${approvedBy}
    where id = ${id}`.execute(db.database);

type Decided = { subject?: string; plan?: string | null; state?: string; by?: string; alone?: boolean };

/** Adds a request by ann and decides it, unless its state is 'waiting'. */
async function decided({ subject = run, plan, state = 'approved', by = ben, alone = false }: Decided = {}) {
  const { planHash } = await runs.read(run);
  const facts = [{ key: 'planHash', value: plan === undefined ? planHash : plan }];
  await sql`insert into approval (kind, subject_id, payload, digest, requested_by, expires_at)
    values ('run', ${subject}, ${JSON.stringify({ userUuid: null, facts })}::jsonb, '', ${ann}, now() + interval '1 hour')`.execute(
    db.database,
  );
  if (state === 'waiting') return;
  await sql`update approval set state = ${sql.lit(state)}, decided_by = ${by}, decided_at = now(), alone = ${alone},
    reason = 'Said so.' where state = 'waiting'`.execute(db.database);
}

const needsApproval = { code: 'BU001', message: 'RunNeedsApproval' };

test('a run up to the limit starts without approval; above it, another administrator must approve exactly its plan', async () => {
  await setRunLimit(db.owner, moves);
  await start(run, { startedBy: null });
  expect(await runs.pay(run)).toMatchObject({ state: 'completed', approvedBy: null });

  const back = await runs.reverse(run);
  // A reversal that locks a stake again takes it from its owner, so the stake counts toward the limit.
  await setRunLimit(db.owner, moves + 1_000_000_000n - 1n);
  await expect(start(back.id)).rejects.toMatchObject(needsApproval);
  await setRunLimit(db.owner, moves + 1_000_000_000n);
  await start(back.id);
  await runs.pay(back.id);

  await setRunLimit(db.owner, moves - 1n);
  run = await planned();
  const starters = { startedBy: ann, approvedBy: ben };
  await expect(start(run)).rejects.toMatchObject(needsApproval);
  await expect(start(run, starters)).rejects.toMatchObject(needsApproval);
  await decided();
  await expect(start(run)).rejects.toMatchObject(needsApproval);
  await expect(start(run, { startedBy: ben, approvedBy: ann })).rejects.toMatchObject(needsApproval);
  await expect(start(run, { ...starters, startedBy: ben })).rejects.toMatchObject(needsApproval);
  await start(run, starters);
  expect(await runs.pay(run)).toMatchObject({ state: 'completed', startedBy: 'ann', approvedBy: 'ben' });
});

test.each<[string, Decided]>([
  ['is still waiting', { state: 'waiting' }],
  ['was denied', { state: 'denied' }],
  ['is for another plan', { plan: 'f'.repeat(64) }],
  ['names no plan', { plan: null }],
  ['is for another run', { subject: '019c0000-0000-7000-8000-000000000009' }],
])('a request that %s does not approve the run', async (_what, request) => {
  await setRunLimit(db.owner, 0n);
  await decided(request);
  await expect(start(run, { startedBy: ann, approvedBy: ben })).rejects.toMatchObject(needsApproval);
  expect(await runs.read(run)).toMatchObject({ startedAt: null });
});

test('a run whose plan was denied shows who denied it and why, until approval is requested again', async () => {
  await decided({ state: 'denied' });
  expect((await readRun(db.database, run)).denial).toEqual({ by: 'ben', reason: 'Said so.' });
  await decided({ state: 'waiting' });
  expect((await readRun(db.database, run)).denial).toBeNull();
});

test('a requester can approve their own run only if the installation allows self-approval', async () => {
  await setRunLimit(db.owner, 0n);
  await expect(decided({ by: ann })).rejects.toThrow('approval_check');
  await sql`update approval set state = 'void', decided_at = now() where state = 'waiting'`.execute(db.database);
  await decided({ by: ann, alone: true });
  await start(run, { startedBy: ann, approvedBy: ann });
  expect(await runs.pay(run)).toMatchObject({ state: 'completed' });
});

test('a started run continues after the limit is lowered, and its starter cannot be changed', async () => {
  await setRunLimit(db.owner, moves);
  await start(run);
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
  const born = sql`insert into run (kind, period, day, part, asset, settings, settings_version, started_at)
    values ('rank-bonus', 'x', '2026-03-10', 0, 'USD', '{}', 1, now())`;
  await expect(born.execute(db.database)).rejects.toMatchObject({ code: 'BU002' });
  const planning = await runs.create('gmp-distro', noon);
  const unplanned = sql`update run set state = 'running', started_at = now(), plan_hash = 'x' where id = ${planning.id}`;
  await expect(unplanned.execute(db.worker)).rejects.toMatchObject({ code: 'BU002' });
});
