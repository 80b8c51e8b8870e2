import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { addCrowd } from '#server/core/testing/crowd.ts';
import { type TestDatabase, testDatabase } from '#server/core/testing/database.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { runsOf, setRunLimit, steeringOf } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { takeAway } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';
import { listLines, readRun } from '../reading/detail.ts';

/* What happens to single users between plan and payment never stops the payment of everyone else. */
let db: TestDatabase;
let runs: ReturnType<typeof runsOf>;
let ledger: ReturnType<typeof ledgerOf>;
let ann: string;
beforeEach(async () => {
  db = await testDatabase();
  runs = runsOf(db);
  ledger = ledgerOf(db);
  ann = (await addAdmin(db.owner, { username: 'ann' })).id;
  await fillTreasury(db.owner, 'USD', 10n ** 15n);
  await setRunLimit(db.owner, 10n ** 15n);
  return () => db[Symbol.asyncDispose]();
});

const now = new Date('2026-03-11T12:00:00Z');
const read = (id: string) => readRun(db.database, id, { id: ann });

const blacklist = (ids: readonly string[]) =>
  sql`update platform_user set blacklisted_at = now(), blacklist_reason = 'Fraud'
    where id = any(${ids}::uuid[])`.execute(db.owner);
const remove = (id: string) => sql`update platform_user set retired_at = now() where id = ${id}`.execute(db.owner);

test('a skipped line says why, and is not reversed with the others', async () => {
  const [kept, listed, gone] = [await addUser(db.owner), await addUser(db.owner), await addUser(db.owner)];
  const stake = { units: 1_000_000_000n, days: 9, placedOn: '2026-03-01' };
  for (const { id: userId } of [kept, listed, gone]) await addStake(db.owner, { userId, ...stake });
  const { id } = await runs.create('stake-payout', now);
  await runs.plan(id);
  await runs.start(id);
  await blacklist([listed.id]);
  await remove(gone.id);
  expect(await runs.pay(id)).toMatchObject({ state: 'completed' });
  const { lines } = await listLines(db.database, { id });
  const shown = lines.map(({ user, skip, isSkippedSince, paid }) => [user.id, skip, isSkippedSince, paid]);
  expect(new Map(shown.map(([user, ...rest]) => [user, rest]))).toEqual(
    new Map<unknown, unknown>([
      [kept.id, [null, false, true]],
      [listed.id, ['blacklisted', true, false]],
      [gone.id, ['deleted', true, false]],
    ]),
  );
  const stakes = db.owner.selectFrom('stake').select('userId').where('status', '=', 'Completed');
  expect(await stakes.execute()).toEqual([{ userId: kept.id }]);
  await ledger.expectSound();

  const reversal = await runs.reverse(id);
  expect(reversal).toMatchObject({ lines: 1n, skipped: 0n });
  await runs.start(reversal.id);
  await runs.pay(reversal.id);
  expect(await runs.read(id)).toMatchObject({ reversed: 'fully' });
  await ledger.expectSound();
});

test('a user who spends their payment after its reversal was planned owes it', async () => {
  const [kept, spender] = [await addUser(db.owner), await addUser(db.owner)];
  for (const { id: userId } of [kept, spender]) {
    await addStake(db.owner, { userId, units: 1_000_000_000n, placedOn: '2026-03-01' });
  }
  const { id } = await runs.create('stake-payout', now);
  await runs.plan(id);
  await runs.start(id);
  await runs.pay(id);
  const reversal = await runs.reverse(id);
  expect(reversal).toMatchObject({ lines: 2n, skipped: 0n });
  await runs.start(reversal.id);
  await db.owner.transaction().execute((tx) => takeAway(tx, { userId: spender.id, units: 1n }));
  expect(await runs.pay(reversal.id)).toMatchObject({ state: 'completed' });
  expect((await ledger.totalsOf(kept.id)).stakedEarnedUsd).toBe(0n);
  expect(await ledger.totalsOf(spender.id)).toMatchObject({
    availableUsd: 0n,
    stakedEarnedUsd: 0n,
    receivableUsd: 1n,
  });
  expect((await read(reversal.id)).progress).toMatchObject({
    paidLines: 2,
    skippedSince: { lines: 0 },
    receivables: { users: 1, amount: '0.000001' },
  });
  expect(await runs.read(id)).toMatchObject({ reversed: 'fully' });
  await ledger.expectSound();
});

test('a chunk that fails three times is set aside, the others are paid, and Retry pays it', async () => {
  await addCrowd(db.owner, { users: 30, placedOn: '2026-03-01' });
  const small = runsOf(db, { linesInChunk: 10 });
  const { id } = await small.create('stake-payout', now);
  const planned = await small.plan(id);
  await small.start(id);
  const { rows } = await sql<{ user: string }>`
    select after_user, to_user as user from run_chunk where run_id = ${id} and no = 1`.execute(db.owner);
  await sql
    .raw(`create function poison() returns trigger language plpgsql as 'begin raise exception ''poisoned''; end'`)
    .execute(db.owner);
  await sql
    .raw(`create trigger poison before insert on transfer for each row when (new.user_id = '${rows[0]?.user}')
    execute function poison()`)
    .execute(db.owner);

  expect(await small.pay(id)).toMatchObject({
    state: 'failed',
    why: { code: 'chunks-failed', params: { chunks: 1, failure: { code: 'technical-error' } } },
  });
  const { progress } = await read(id);
  expect(progress).toMatchObject({ paidChunks: 2, paidLines: 20, open: { chunks: 1, lines: 10 } });
  await ledger.expectSound();

  await sql`drop function poison cascade`.execute(db.owner);
  await steeringOf(db).steer(id, 'retry');
  expect(await small.pay(id)).toMatchObject({ state: 'completed' });
  expect((await read(id)).progress).toMatchObject({ paidLines: Number(planned.lines), open: { chunks: 0 } });
  await ledger.expectSound();
}, 60_000);

test('the plan shows whether the treasury covers it together with what other runs still need', async () => {
  const { id: userId } = await addUser(db.owner, { rank: 'Gold' });
  await addStake(db.owner, { userId, units: 1_000_000_000n, placedOn: '2026-03-01' });
  const payout = await runs.create('stake-payout', now);
  await runs.plan(payout.id);
  await runs.start(payout.id);
  await runs.save('rank-bonus', { rank: 'Gold', bonusAmount: '25.00' });
  const bonus = await runs.create('rank-bonus', now);
  await runs.plan(bonus.id);
  expect((await read(bonus.id)).cover).toEqual({ treasury: '1000000000.00', reserved: '1.00', needed: '25.00' });
  await runs.start(bonus.id);
  await runs.pay(bonus.id);
  expect((await read(bonus.id)).cover).toBeNull();
});
