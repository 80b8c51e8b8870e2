import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { addCrowd } from '#server/core/testing/crowd.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { holdingLock } from '#server/core/testing/locks.ts';
import { runsOf, testReason } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { fillTreasury } from '#server/core/testing/stakes.ts';
import { eventually } from '#server/core/testing/stream.ts';

const { db, server } = await testEnvironment();
const runs = runsOf(db, { linesInChunk: 500 });
await addAdmin(db.database, { username: 'ann' });
const token = await server.signIn('ann');
await fillTreasury(db.owner, 'USD', 10n ** 12n);
await addCrowd(db.owner, { users: 600, placedOn: new Date(Date.now() - 864e6).toISOString().slice(0, 10) });

type Activity = { workers: number; stalled: { id: string; since: string; why: unknown }[] };
const activity = async () => (await server.call('GET', '/api/runs/activity', { token })).json as unknown as Activity;
const stallOf = async (run = id) => (await server.call('GET', `/api/runs/${run}`, { token })).json['stalled'];

let id: string;
beforeEach(async () => {
  await sql`insert into worker_process (id) values (uuid_v7())`.execute(db.owner);
  ({ id } = await runs.create('stake-payout', new Date()));
  await runs.plan(id);
  await runs.start(id);
  return async () => {
    await sql`delete from worker_process`.execute(db.owner);
    await sql`update run set state = 'cancelled', why = ${testReason}, ended_at = now()
      where id = ${id} and ended_at is null`.execute(db.owner);
  };
});

/** Moves all progress of the run into the past. */
const age = (minutes: number) =>
  db.owner.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    const at = sql`now() - make_interval(mins => ${minutes})`;
    await sql`update run set state_changed_at = ${at} where id = ${id}`.execute(tx);
    await sql`update run_chunk set planned_at = ${at} where run_id = ${id}`.execute(tx);
    await sql`update maintenance set changed_at = ${at}`.execute(tx);
  });

test('a run that starts is not stalled, and one without progress for five minutes is', async () => {
  expect(await activity()).toEqual({ workers: 1, stalled: [] });
  await age(4);
  expect(await activity()).toEqual({ workers: 1, stalled: [] });
  await age(6);
  const why = { code: 'no-progress', params: {} };
  const stall = { since: expect.any(String), why };
  expect(await activity()).toEqual({
    workers: 1,
    stalled: [{ id, kind: 'stake-payout', period: expect.any(String), reverses: null, ...stall }],
  });
  expect(await stallOf()).toEqual(stall);
});

test('a paid chunk is progress', async () => {
  await age(6);
  await sql`update run_chunk set paid_at = now(), transfers = 0 where run_id = ${id} and no = 1`.execute(db.owner);
  expect(await stallOf()).toBeNull();
});

test('a run that is being planned can stall as well', async () => {
  await sql`update run set state = 'cancelled', why = ${testReason}, ended_at = now() where id = ${id}`.execute(
    db.owner,
  );
  ({ id } = await runs.create('stake-payout', new Date()));
  expect(await stallOf()).toBeNull();
  await age(6);
  expect(await stallOf()).toMatchObject({ why: { code: 'no-progress' } });
});

test('without a worker the reason is that none is running', async () => {
  await age(6);
  await sql`update worker_process set seen_at = now() - interval '61 seconds'`.execute(db.owner);
  const { workers, stalled } = await activity();
  expect({ workers, why: stalled[0]?.why }).toEqual({ workers: 0, why: { code: 'worker-missing', params: {} } });
});

test('under maintenance nothing is stalled', async () => {
  await age(6);
  await sql`update maintenance set active = true, ends_at = now()`.execute(db.owner);
  expect(await activity()).toMatchObject({ stalled: [] });
  await sql`update maintenance set active = false, ends_at = null`.execute(db.owner);
});

test('a full disk is the reason, does not count against the chunk, and is forgotten with the next state', async () => {
  await age(6);
  await sql
    .raw(
      `create function fill_disk() returns trigger language plpgsql as
        'begin raise exception ''could not extend file'' using errcode = ''53100''; end'`,
    )
    .execute(db.owner);
  await sql`create trigger fill_disk before insert on transfer for each row execute function fill_disk()`.execute(
    db.owner,
  );
  await expect(runs.pay(id)).rejects.toThrow('could not extend file');
  await sql`drop function fill_disk cascade`.execute(db.owner);
  expect(await stallOf()).toMatchObject({ why: { code: 'disk-full', params: {} } });
  const { rows } = await sql`select from run_chunk where run_id = ${id} and failures > 0`.execute(db.owner);
  expect(rows).toEqual([]);
  expect(await runs.pay(id)).toMatchObject({ state: 'completed' });
  expect(await db.owner.selectFrom('run').select('lastError').where('id', '=', id).executeTakeFirst()).toEqual({
    lastError: null,
  });
  const reversal = await runs.reverse(id);
  await runs.start(reversal.id);
  await runs.pay(reversal.id);
});

test('a chunk that waits for a lock names the application that holds it', async () => {
  const release = await holdingLock(db.owner, async (tx) => {
    await sql`set local application_name = 'night backup'`.execute(tx);
    await sql`select from user_total where user_id in (select user_id from run_line where run_id = ${id})
      for update`.execute(tx);
  });
  await age(6);
  const paying = runs.pay(id);
  const stall = await eventually(async () => {
    const found = (await stallOf()) as { why: { code: string } } | null;
    return found?.why.code === 'waiting-for-lock' && found;
  });
  expect(stall.why).toEqual({ code: 'waiting-for-lock', params: { application: 'night backup' } });
  await release();
  expect(await paying).toMatchObject({ state: 'completed' });
  const reversal = await runs.reverse(id);
  await runs.start(reversal.id);
  await runs.pay(reversal.id);
});
