import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { addCrowd } from '#server/core/testing/crowd.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { runsOf, testReason } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { eventually } from '#server/core/testing/stream.ts';
import { hashOf } from '../store/plan-hash.ts';
import { planRun } from './plan.ts';
import { requeueStalledRuns } from '../recovery.ts';

const { db } = await testEnvironment();
const runs = runsOf(db);
await addAdmin(db.database, { username: 'ann' });
const dayMs = 86_400_000;
const placedOn = new Date(Date.now() - 10 * dayMs).toISOString().slice(0, 10);
await addCrowd(db.owner, { users: 12_000, placedOn });

const deps = { database: db.worker, enqueue: async () => undefined };
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
      line.rateBp,
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
  await requeueStalledRuns(db.worker, async (_tx, task, run) => void enqueued.push(`${task} ${run}`));
  expect(enqueued).toEqual([`runs.plan ${id}`]);
  await cancel(id);
  await requeueStalledRuns(db.worker, async (_tx, task, run) => void enqueued.push(`${task} ${run}`));
  expect(enqueued).toHaveLength(1);
});
