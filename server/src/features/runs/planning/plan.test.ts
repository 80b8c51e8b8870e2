import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { connect } from '#server/core/db/db.ts';
import { addCrowd } from '#server/core/testing/crowd.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { holdingLock } from '#server/core/testing/locks.ts';
import { runsOf, testReason } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { eventually } from '#server/core/testing/stream.ts';
import { hashOf } from '../store/plan-hash.ts';
import { beforeAll, everyone } from '../store/ranges.ts';
import { planRun } from './plan.ts';
import { exportSnapshot } from './plan-queries.ts';
import { insertRange } from './range-queries.ts';
import { helpPlan } from './write.ts';
import { requeueLostPlans } from '../recovery.ts';

const { db } = await testEnvironment();
const runs = runsOf(db);
await addAdmin(db.database, { username: 'ann' });
const dayMs = 86_400_000;
const placedOn = new Date(Date.now() - 10 * dayMs).toISOString().slice(0, 10);
await addCrowd(db.owner, { users: 12_000, placedOn });

const deps = { database: db.worker };
const create = () => runs.create('stake-payout', new Date());
const cancel = (id: string) =>
  sql`update run set state = 'cancelled', why = ${testReason}, ended_at = now() where id = ${id}`.execute(db.owner);
const chunksOf = async (id: string) =>
  (await sql<{ digest: string }>`select digest from run_chunk where run_id = ${id} order by no`.execute(db.owner)).rows;

test('the same plan has the same hash, which can be recomputed from the lines', async () => {
  const one = await runs.plan((await create()).id);
  await cancel(one.id);
  const other = await runs.plan((await create()).id);
  expect(other.planHash).toBe(one.planHash);

  const lines = await runs.linesOf(one.id);
  const text = lines.map((line) =>
    [
      line.userId,
      line.causeId,
      line.part,
      line.input,
      line.ratePpm / 100,
      line.ranked ? 't' : 'f',
      line.base,
      line.bonus,
      line.loyalty,
      line.closing,
      line.completes ? 't' : 'f',
      line.skip ?? '-',
    ].join(' '),
  );
  const digests = [0, 5_000, 10_000].map((from) =>
    createHash('sha256')
      .update(text.slice(from, from + 5_000).join('\n'))
      .digest('hex'),
  );
  expect(await chunksOf(one.id)).toEqual(digests.map((digest) => ({ digest })));
  expect(hashOf(one, digests)).toBe(one.planHash);
  await cancel(other.id);
});

test('different settings or a different rank result in a different hash', async () => {
  const before = await runs.plan((await create()).id);
  await cancel(before.id);
  await sql`update platform_user set rank = 'Gold' where username = 'crowd.4'`.execute(db.owner);
  const promoted = await runs.plan((await create()).id);
  await cancel(promoted.id);
  await runs.save('stake-payout', { enabled: false, baseReward: 50, bonusReward: 20, loyaltyReward: 29.99 });
  const changed = await runs.plan((await create()).id);
  await cancel(changed.id);
  expect(new Set([before.planHash, promoted.planHash, changed.planHash]).size).toBe(3);
});

test('an interrupted plan is started over and has the same result', async () => {
  const whole = await runs.plan((await create()).id);
  await cancel(whole.id);
  const { id } = await create();
  const stopping = new AbortController();
  const interrupted = planRun(deps, id, stopping.signal);
  await eventually(async () => (await chunksOf(id)).length > 0);
  stopping.abort(new Error('Killed.'));
  await expect(interrupted).rejects.toThrow('Killed.');
  expect((await runs.read(id)).state).toBe('planning');
  expect(await runs.plan(id)).toMatchObject({ state: 'planned', planHash: whole.planHash, lines: 12_000n });
  await cancel(id);
});

const rangesOf = async (id: string) =>
  (await sql`select from run_range where run_id = ${id}`.execute(db.owner)).rows.length;

/** The number of chunks whose writing is held up. */
const heldUp = async () =>
  (
    await sql`select from pg_locks where locktype = 'advisory' and objid = 4711 and not granted
      and database = (select oid from pg_database where datname = current_database())`.execute(db.owner)
  ).rows.length;

const holderOf = async (id: string) =>
  (
    await sql<{ pid: number }>`select pid from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
        and objid = hashtext(${`runs.plan ${id}`})::bigint & 4294967295`.execute(db.database)
  ).rows;

test('a plan whose snapshot was lost is started over without a manual retry', async () => {
  const { id } = await create();
  const planning = planRun(deps, id, new AbortController().signal);
  planning.catch(() => undefined);
  await db.owner.transaction().execute(async (tx) => {
    await sql`select from run where id = ${id} for update`.execute(tx);
    await eventually(async () => (await holderOf(id)).length > 0);
    await sql`select pg_terminate_backend(${(await holderOf(id))[0]?.pid})`.execute(tx);
    await eventually(async () => (await holderOf(id)).length === 0);
  });
  await expect(planning).rejects.toThrow(/connection/i);
  expect((await runs.read(id)).state).toBe('planning');
  expect(await runs.plan(id)).toMatchObject({ state: 'planned', lines: 12_000n });
  await cancel(id);
});

test('a cancelled preview does not define the first day to be paid', async () => {
  const { id, period } = await create();
  await runs.plan(id);
  await cancel(id);
  const later = await runs.create('stake-payout', new Date(Date.now() + 5 * dayMs));
  expect(Date.parse(later.period) - Date.parse(period)).toBe(5 * dayMs);
  await cancel(later.id);
});

test('several concurrent plans of the same run: one writes it, the others return', async () => {
  const { id } = await create();
  await Promise.all([1, 2, 3].map(() => planRun(deps, id, new AbortController().signal)));
  expect(await runs.read(id)).toMatchObject({ state: 'planned', lines: 12_000n });
  await cancel(id);
});

/** Writes ranges as a worker in another process does, until the signal aborts. Returns how many. */
async function help(signal: AbortSignal) {
  for (let written = 0; ; ) {
    if (signal.aborted) return written;
    if ((await helpPlan(db.worker, [])) === 'written') written += 1;
    else await wait(5);
  }
}

test('several workers write one plan, which has the same hash as a plan by one', async () => {
  const small = runsOf(db, { linesInChunk: 1_000 });
  const alone = await small.plan((await create()).id);
  await cancel(alone.id);
  const { id } = await create();
  const done = new AbortController();
  const helping = [1, 2, 3].map(() => help(done.signal));
  const together = await small.plan(id);
  done.abort();
  const helped = (await Promise.all(helping)).reduce((sum, written) => sum + written, 0);
  expect(helped).toBeGreaterThan(0);
  expect(together).toMatchObject({ state: 'planned', planHash: alone.planHash, lines: 12_000n, pays: alone.pays });
  expect(await chunksOf(id)).toEqual(await chunksOf(alone.id));
  await cancel(id);
});

test('a plan survives a worker that dies while it writes a chunk', async () => {
  const whole = await runs.plan((await create()).id);
  await cancel(whole.id);
  const { id } = await create();
  await sql
    .raw(
      `create function hold_up() returns trigger language plpgsql as
        'begin perform pg_advisory_xact_lock_shared(4711); return null; end'`,
    )
    .execute(db.owner);
  await sql`create trigger hold_up before insert on run_line for each statement execute function hold_up()`.execute(
    db.owner,
  );
  const release = await holdingLock(db.owner, (tx) => sql`select pg_advisory_xact_lock(4711)`.execute(tx));
  const planning = planRun(deps, id, new AbortController().signal);
  await eventually(async () => (await heldUp()) === 1, 20_000);
  const settings = { url: db.url, role: 'bursar_worker', connections: 2, statementTimeoutMs: 20_000 } as const;
  const other = connect({ ...settings, onLostConnection: () => undefined });
  other.pool.options.application_name = 'another worker';
  const helping = helpPlan(other.database, []).catch((error: unknown) => error);
  await eventually(async () => (await heldUp()) === 2, 8_000);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'another worker'`.execute(db.owner);
  expect(await helping).toBeInstanceOf(Error);
  await release();
  await planning;
  expect(await runs.read(id)).toMatchObject({ state: 'planned', planHash: whole.planHash });
  await sql`drop function hold_up cascade`.execute(db.owner);
  await other.database.destroy();
  await cancel(id);
});

test('a range whose plan is no longer made is not written', async () => {
  const { id } = await create();
  const snapshot = await db.worker.transaction().execute(async (tx) => (await exportSnapshot(tx)).snapshot);
  const range = { runId: id, no: 1, after: beforeAll, to: everyone, snapshot, inputs: {} };
  await db.worker.transaction().execute((tx) => insertRange(tx, range));
  expect(await helpPlan(db.worker, [])).toBe('failed');
  // The snapshot exists, but not for this plan.
  await db.worker.transaction().execute(async (tx) => {
    const exported = await exportSnapshot(tx);
    await sql`update run_range set snapshot = ${exported.snapshot}`.execute(db.owner);
    expect(await helpPlan(db.worker, [])).toBe('failed');
  });
  expect(await chunksOf(id)).toEqual([]);
  expect(await runs.plan(id)).toMatchObject({ state: 'planned', lines: 12_000n });
  expect(await rangesOf(id)).toBe(0);
  await cancel(id);
});

test('a run that is cancelled during planning stays cancelled', async () => {
  const { id } = await create();
  const planning = planRun(deps, id, new AbortController().signal);
  await eventually(async () => (await chunksOf(id)).length > 0);
  await cancel(id);
  await planning;
  expect((await runs.read(id)).state).toBe('cancelled');
});

test('changes during planning are not in the plan: all lines come from one snapshot', async () => {
  const { id } = await create();
  const planning = planRun(deps, id, new AbortController().signal);
  await eventually(async () => (await chunksOf(id)).length > 0);
  await sql`update platform_user set rank = 'none' where username like 'crowd.%' and rank <> 'none'`.execute(db.owner);
  await planning;
  const ranked = (await runs.linesOf(id)).filter((line) => line.ranked).length;
  expect(ranked).toBe(9_001);
  await cancel(id);
});

test('a run whose planning fails stores the reason and is not retried automatically', async () => {
  const { id } = await create();
  await sql`alter table run_line add constraint no_more check (input < 0) not valid`.execute(db.owner);
  await expect(planRun(deps, id, new AbortController().signal)).rejects.toThrow('no_more');
  expect(await runs.read(id)).toMatchObject({
    state: 'failed',
    why: { code: 'planning-failed', params: { message: expect.stringContaining('no_more') } },
  });
  await sql`alter table run_line drop constraint no_more`.execute(db.owner);
  await cancel(id);
});

test('a run without a task is enqueued again, and a run that is over is not', async () => {
  const { id } = await create();
  const enqueued: string[] = [];
  await requeueLostPlans(db.worker, async (_tx, task, run) => void enqueued.push(`${task} ${run}`));
  expect(enqueued).toEqual([`runs.plan ${id}`]);
  await cancel(id);
  await requeueLostPlans(db.worker, async (_tx, task, run) => void enqueued.push(`${task} ${run}`));
  expect(enqueued).toHaveLength(1);
});
