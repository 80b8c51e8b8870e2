import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { addCrowd } from '#server/core/testing/crowd.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { holdingLock } from '#server/core/testing/locks.ts';
import { addUser } from '#server/core/testing/user.ts';
import { runsOf, testReason } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { addWithdrawal, takeAway } from '#server/core/testing/transfers.ts';

const { db, server } = await testEnvironment();
const runs = runsOf(db, { linesInChunk: 500 });
const ledger = ledgerOf(db);
await addAdmin(db.database, { username: 'ann' });
const ann = await server.signIn('ann');
await fillTreasury(db.owner, 'USD', 10n ** 15n);
const dayMs = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);
await addCrowd(db.owner, { users: 600, placedOn: daysAgo(10) });
const ending = await addUser(db.owner, { username: 'ada', rank: 'Gold' });
const lastDay = await addStake(db.owner, { userId: ending.id, units: 50_000_000n, days: 9, placedOn: daysAgo(10) });

let id: string;
beforeEach(async () => {
  ({ id } = await runs.create('stake-payout', new Date()));
  await runs.plan(id);
  await runs.start(id);
  // Leaves the day unpaid for the next test.
  return async () => {
    const { state } = await runs.read(id);
    if (state === 'completed') await reverseRun(id);
    else if (state !== 'refused')
      await sql`update run set state = 'cancelled', why = ${testReason}, ended_at = now() where id = ${id}`.execute(
        db.owner,
      );
  };
});

async function reverseRun(paid: string) {
  const reversal = await runs.reverse(paid);
  await runs.start(reversal.id);
  await runs.pay(reversal.id);
}

const paidChunks = async () =>
  (await sql`select from run_chunk where run_id = ${id} and paid_at is not null`.execute(db.owner)).rows.length;

/** Makes the database silently drop some writes, and returns a function that ends this. */
async function losing({ table, when }: { table: 'transfer' | 'stake'; when: string }) {
  const event = table === 'transfer' ? 'insert' : 'update';
  await sql
    .raw(`create function lose() returns trigger language plpgsql as 'begin return null; end'`)
    .execute(db.owner);
  await sql
    .raw(`create trigger lose before ${event} on ${table} for each row when (${when}) execute function lose()`)
    .execute(db.owner);
  return () => sql.raw(`drop function lose cascade`).execute(db.owner);
}

test('a transfer that the database lost fails the chunk, and the whole chunk is rolled back', async () => {
  const restore = await losing({
    table: 'transfer',
    when: `new.kind = 'stake-bonus' and new.user_id = '${ending.id}'`,
  });
  expect(await runs.pay(id)).toMatchObject({
    state: 'failed',
    why: {
      code: 'chunks-failed',
      params: {
        chunks: 1,
        failure: {
          code: 'posted-mismatch',
          params: {
            asset: 'USD',
            postedUnits: expect.stringMatching(/^\d+$/),
            plannedUnits: expect.stringMatching(/^\d+$/),
          },
        },
      },
    },
  });
  await restore();
  await ledger.expectSound();
  expect(await ledger.totalsOf(ending.id)).toMatchObject({ stakedEarnedUsd: 0n });
});

test('a stake that does not end as planned fails the chunk', async () => {
  const restore = await losing({ table: 'stake', when: `new.status = 'Completed'` });
  expect(await runs.pay(id)).toMatchObject({
    state: 'failed',
    why: {
      code: 'chunks-failed',
      params: { chunks: 1, failure: { code: 'ended-stakes-mismatch', params: { ended: 0, planned: 1 } } },
    },
  });
  await restore();
  await ledger.expectSound();
});

test('a run does not complete while another transaction holds one of its chunks', async () => {
  const release = await holdingLock(db.owner, (tx) =>
    sql`select from run_chunk where run_id = ${id} and no = 2 for update`.execute(tx),
  );
  expect(await runs.pay(id)).toMatchObject({ state: 'running' });
  expect(await paidChunks()).toBe(1);
  await release();
  expect(await runs.pay(id)).toMatchObject({ state: 'completed' });
  await ledger.expectSound();
  const { rows } = await sql`select from stake where id = ${lastDay} and status = 'Completed'`.execute(db.owner);
  expect(rows).toHaveLength(1);
});

test('workers pay no further chunk during maintenance, and the run continues afterwards', async () => {
  const maintain = (active: boolean) =>
    sql`update maintenance set active = ${active}, ends_at = case when ${active} then now() end`.execute(db.owner);
  await maintain(true);
  expect(await runs.pay(id)).toMatchObject({ state: 'running' });
  expect(await paidChunks()).toBe(0);
  await maintain(false);
  expect(await runs.pay(id)).toMatchObject({ state: 'completed' });
});

test('money that a user has spent is not reversed, and the payments of a single user can be reversed', async () => {
  await runs.pay(id);
  const { availableUsd } = await ledger.totalsOf(ending.id);
  expect(availableUsd).toBeGreaterThan(0n);
  await addWithdrawal(db.owner, { userId: ending.id, units: 1n });
  await db.owner.transaction().execute((tx) => takeAway(tx, { userId: ending.id, units: availableUsd }));
  const spent = await runs.reverse(id, ending.id);
  expect(spent).toMatchObject({ state: 'planned', lines: 1n, skipped: 1n, pays: 0n });
  await runs.start(spent.id);
  expect(await runs.pay(spent.id)).toMatchObject({ state: 'completed' });
  const [someone] = (await runs.linesOf(id)).filter(({ userId, skip }) => userId !== ending.id && skip === null);
  const before = await ledger.totalsOf(someone?.userId ?? '');
  const alone = await runs.reverse(id, someone?.userId);
  expect(alone).toMatchObject({ lines: 1n, skipped: 0n });
  await runs.start(alone.id);
  expect(await runs.pay(alone.id)).toMatchObject({ state: 'completed' });
  const after = await ledger.totalsOf(someone?.userId ?? '');
  expect(before.stakedEarnedUsd - after.stakedEarnedUsd).toBe(alone.pays);
  const posted = await server.call('GET', `/api/ledger/transfers?user=${someone?.userId}`, { token: ann });
  const reversing = (posted.json['transfers'] as { id: string; reverses: string | null }[]).find((one) => one.reverses);
  const { json } = await server.call('GET', `/api/runs/why/${reversing?.id}`, { token: ann });
  expect(json['why']).toMatchObject({ run: { id: alone.id, reverses: id, reason: 'A mistake' }, line: { paid: true } });
  // The day still counts as paid: the payment of one user was reversed on purpose.
  await expect(runs.create('stake-payout', new Date())).rejects.toThrow('NothingDue');
});
