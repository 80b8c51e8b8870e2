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

test('the same plan has the same hash, and anyone can compute it from the lines alone', async () => {
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

test('other settings, another stake or another rank make another hash', async () => {
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

test('a plan that is interrupted is made anew, and is what it would have been', async () => {
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

test('a plan whose snapshot was lost is made anew too: nobody has to try it again', async () => {
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

test('a preview that was cancelled is not the day from which on every day is paid', async () => {
  const { id, period } = await create();
  await runs.plan(id);
  await cancel(id);
  const later = await runs.create('stake-payout', new Date(Date.now() + 5 * dayMs));
  expect(Date.parse(later.period) - Date.parse(period)).toBe(5 * dayMs);
  await cancel(later.id);
});

test('of several who plan the same run at once one does, and the others leave it alone', async () => {
  const { id } = await create();
  await Promise.all([1, 2, 3].map(() => planRun(deps, id, new AbortController().signal)));
  expect(await runs.read(id)).toMatchObject({ state: 'planned', lines: 12_000n });
  await cancel(id);
});

test('a plan that is cancelled while it is made ends, and is not planned after all', async () => {
  const { id } = await create();
  const planning = planRun(deps, id, new AbortController().signal);
  await eventually(async () => (await chunksOf(id)).length > 0);
  await cancel(id);
  await planning;
  expect((await runs.read(id)).state).toBe('cancelled');
});

test('what changes while a plan is made is not in it: every line is of the same snapshot', async () => {
  const { id } = await create();
  const planning = planRun(deps, id, new AbortController().signal);
  await eventually(async () => (await chunksOf(id)).length > 0);
  await sql`update platform_user set rank = 'none' where username like 'crowd.%' and rank <> 'none'`.execute(db.owner);
  await planning;
  const ranked = (await runs.linesOf(id)).filter((line) => line.ranked).length;
  expect(ranked).toBe(9_001);
  await cancel(id);
});

test('a plan that cannot be made says why, and is not tried without end', async () => {
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

test('a run at which nobody works is found and taken up, and one that somebody works at is left to them', async () => {
  const { id } = await create();
  const asked: string[] = [];
  await requeueStalledRuns(db.worker, async (_tx, task, run) => void asked.push(`${task} ${run}`));
  expect(asked).toEqual([`runs.plan ${id}`]);
  await cancel(id);
  await requeueStalledRuns(db.worker, async (_tx, task, run) => void asked.push(`${task} ${run}`));
  expect(asked).toHaveLength(1);
});
