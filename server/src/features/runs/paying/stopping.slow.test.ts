import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { addCrowd } from '#server/core/testing/crowd.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { holdingLock } from '#server/core/testing/locks.ts';
import { runsOf } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { fillTreasury } from '#server/core/testing/stakes.ts';
import { eventually } from '#server/core/testing/stream.ts';
import { spareInTreasury } from '#server/core/ledger/lines.ts';
import { owedByRuns } from './start.ts';

const { db, server } = await testEnvironment();
const runs = runsOf(db, { linesInChunk: 500 });
const ledger = ledgerOf(db);
await addAdmin(db.database, { username: 'ann' });
const ann = await server.signIn('ann');
await fillTreasury(db.owner, 'USD', 10n ** 12n);
const dayMs = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);
const users = 1_200;
await addCrowd(db.owner, { users, placedOn: daysAgo(10) });

let id: string;
beforeEach(async () => {
  ({ id } = await runs.create('stake-payout', new Date()));
  await runs.plan(id);
  await runs.start(id);
  return async () => {
    await ledger.expectSound();
    for (const { id: paid } of await db.owner.selectFrom('run').select('id').where('reverses', 'is', null).execute())
      await reverseRest(paid);
    if ((await earned()) !== 0n) throw new Error('The test left payments behind.');
  };
});

/** Leaves the day unpaid for the next test. */
async function reverseRest(paid: string) {
  const { json } = await server.call('POST', `/api/runs/${paid}/reverse`, { token: ann, body: { reason: 'A test' } });
  if (!json['run']) return;
  const { id: reversal } = json['run'] as { id: string };
  await runs.plan(reversal);
  await runs.start(reversal);
  await runs.pay(reversal);
}

const paidChunks = async (run = id) =>
  (await sql`select from run_chunk where run_id = ${run} and paid_at is not null`.execute(db.owner)).rows.length;

const earned = async () => {
  const { rows } = await sql<{ units: bigint }>`
    select coalesce(sum(staked_earned_usd), 0)::bigint as units from user_total`.execute(db.owner);
  return rows[0]?.units;
};

type Answer = { status: number; json: Record<string, unknown> };
const post = (path: string, body?: object): Promise<Answer> => server.call('POST', path, { token: ann, body });

async function timed<T>(work: Promise<T>) {
  const startedAt = performance.now();
  return { result: await work, ms: performance.now() - startedAt };
}

/** Starts to pay, and holds up the first chunk until the returned function is called. */
async function payHeldUp() {
  const release = await holdingLock(db.owner, (tx) =>
    sql`select from user_total where user_id = (select min(user_id::text)::uuid from run_line where run_id = ${id})
      for update`.execute(tx),
  );
  const paying = runs.pay(id);
  await eventually(async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into transfer%'`.execute(
      db.owner,
    );
    return rows.length > 0;
  });
  return async () => {
    await release();
    return paying;
  };
}

test('pause answers at once although a chunk takes six seconds, and only that chunk is still paid', async () => {
  const release = await payHeldUp();
  const { result, ms } = await timed(post(`/api/runs/${id}/steer`, { step: 'pause' }));
  expect(result.json['run']).toMatchObject({ state: 'paused' });
  expect(ms).toBeLessThan(1_000);
  await wait(6_000 - ms);
  expect(await release()).toMatchObject({ state: 'paused' });
  expect(await paidChunks()).toBe(1);
  expect(await runs.pay(id)).toMatchObject({ state: 'paused' });
  await post(`/api/runs/${id}/steer`, { step: 'resume' });
  expect(await runs.pay(id)).toMatchObject({ state: 'completed' });
});

test('a run that is cancelled while a chunk is being paid answers at once, and the period planned again leaves nobody out', async () => {
  const { pays } = await runs.read(id);
  const release = await payHeldUp();
  const { result, ms } = await timed(post(`/api/runs/${id}/steer`, { step: 'cancel' }));
  expect(result.json['run']).toMatchObject({ state: 'cancelled' });
  expect(ms).toBeLessThan(1_000);
  const replanning = post(`/api/runs/${id}/replan`);
  expect(await Promise.race([replanning, wait(500, 'waits')])).toBe('waits');
  await release();
  const { id: rest } = (await replanning).json['run'] as { id: string };
  expect(await runs.plan(rest)).toMatchObject({ state: 'planned', lines: BigInt(users), skipped: 500n });
  await runs.start(rest);
  expect(await runs.pay(rest)).toMatchObject({ state: 'completed' });
  expect(await earned()).toBe(pays);
});

test('a run that is cancelled while a chunk is being paid can be reversed at once, including that chunk', async () => {
  const release = await payHeldUp();
  await post(`/api/runs/${id}/steer`, { step: 'cancel' });
  const reversing = post(`/api/runs/${id}/reverse`, { reason: 'A mistake' });
  expect(await Promise.race([reversing, wait(500, 'waits')])).toBe('waits');
  await release();
  const { id: reversal } = (await reversing).json['run'] as { id: string };
  expect(await runs.plan(reversal)).toMatchObject({ state: 'planned', lines: 500n, skipped: 0n });
  await runs.start(reversal);
  expect(await runs.pay(reversal)).toMatchObject({ state: 'completed' });
  expect(await earned()).toBe(0n);
});

test('what a chunk takes from the treasury after its run was canceled is not free for anything else', async () => {
  const unreserved = () => db.database.transaction().execute((tx) => spareInTreasury(tx, 'USD', owedByRuns));
  const release = await payHeldUp();
  await post(`/api/runs/${id}/steer`, { step: 'cancel' });
  const reading = unreserved();
  expect(await Promise.race([reading, wait(500, 'waits')])).toBe('waits');
  await release();
  expect(await reading).toBe(await unreserved());
});

test('a run of one user is paid after the chunk in hand of a large run', async () => {
  const release = await payHeldUp();
  await sql`update platform_user set rank = case username when 'crowd.7' then 'Platinum' else 'Gold' end::user_rank`.execute(
    db.owner,
  );
  await runs.save('rank-bonus', { rank: 'Platinum', bonusAmount: '1.00' });
  const bonus = await runs.create('rank-bonus', new Date());
  expect(await runs.plan(bonus.id)).toMatchObject({ lines: 1n });
  await runs.start(bonus.id);
  await release();
  expect(await runs.read(bonus.id)).toMatchObject({ state: 'completed' });
  const { rows } = await sql<{ kind: string }>`
    select run.kind from run_chunk join run on run.id = run_chunk.run_id
    where run.id in (${id}, ${bonus.id}) order by paid_at`.execute(db.owner);
  expect(rows.map(({ kind }) => kind)).toEqual(['stake-payout', 'rank-bonus', 'stake-payout', 'stake-payout']);
});
