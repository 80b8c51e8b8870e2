import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { runsOf, setRunLimit, testReason } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { deposit } from '#server/core/testing/transfers.ts';

/* A past period that was not paid, or only in part, is planned again from the run that left it unpaid. */
const { db, server } = await testEnvironment();
const runs = runsOf(db);
const ledger = ledgerOf(db);
await addAdmin(db.database, { username: 'ann' });
const ann = await server.signIn('ann');
await fillTreasury(db.owner, 'USD', 10n ** 15n);
await fillTreasury(db.owner, 'GMP', 10n ** 15n);
await setRunLimit(db.owner, 10n ** 15n);
const { id: holder } = await addUser(db.owner, { rank: 'Silver' });
await ledger.posted(deposit({ userId: holder, asset: 'SHARE', units: 1n }));

const longAgo = new Date('2026-03-11T12:00:00Z');
const daily = { frequency: 'Daily', time: '00:00', enabled: true, weekday: 1, utcOffset: 0, percentage: 100 };
const cancel = (id: string) =>
  sql`update run set state = 'cancelled', why = ${testReason}, ended_at = now() where id = ${id} and ended_at is null`.execute(
    db.owner,
  );

type RunAnswer = { run: { id: string; period: string; settingsVersion: number } };
const callReplan = (id: string) => server.call('POST', `/api/runs/${id}/replan`, { token: ann });
const hasUnpaidPeriod = async (id: string) =>
  ((await server.call('GET', `/api/runs/${id}`, { token: ann })).json as { hasUnpaidPeriod: boolean }).hasUnpaidPeriod;

async function planned(kind: 'gmp-distro' | 'rank-bonus') {
  const { id } = await runs.create(kind, longAgo);
  await runs.plan(id);
  return id;
}

async function paid(id: string) {
  await runs.start(id);
  return runs.pay(id);
}

async function replan(id: string) {
  const { status, json } = await callReplan(id);
  expect(status).toBe(200);
  return runs.plan((json as RunAnswer).run.id);
}

async function reverseRun(id: string) {
  const reversal = await runs.reverse(id);
  await paid(reversal.id);
}

beforeEach(async () => {
  await runs.save('gmp-distro', { ...daily, amount: '100.00' });
  await runs.save('rank-bonus', { rank: 'Silver', bonusAmount: '10.00' });
  return async () => {
    const live = await db.owner.selectFrom('run').select('id').where('endedAt', 'is', null).execute();
    for (const { id } of live) await cancel(id);
  };
});

test('an unpaid distribution is replanned for its own day, and not after it is paid', async () => {
  const left = await planned('gmp-distro');
  expect(await hasUnpaidPeriod(left)).toBe(false);
  await cancel(left);
  expect(await hasUnpaidPeriod(left)).toBe(true);
  const replanned = await replan(left);
  expect(replanned).toMatchObject({ state: 'planned', period: '2026-03-11', day: '2026-03-11', pays: 100_000_000n });
  expect(await paid(replanned.id)).toMatchObject({ state: 'completed' });
  expect(await hasUnpaidPeriod(left)).toBe(false);
  expect(await hasUnpaidPeriod(replanned.id)).toBe(false);
  expect((await callReplan(left)).json).toMatchObject({ code: 'NothingDue' });
  await reverseRun(replanned.id);
  expect(await hasUnpaidPeriod(replanned.id)).toBe(true);
});

test('a reversed period is replanned with the current settings, unless they are for other payments', async () => {
  const wrong = await planned('rank-bonus');
  expect(await paid(wrong)).toMatchObject({ state: 'completed', pays: 10_000_000n });
  await reverseRun(wrong);
  await runs.save('rank-bonus', { rank: 'Gold', bonusAmount: '500.00' });
  const asItWas = await replan(wrong);
  expect(asItWas).toMatchObject({ period: '2026-W11 Silver', pays: 10_000_000n });
  await runs.save('rank-bonus', { rank: 'Silver', bonusAmount: '25.00' });
  const right = await replan(wrong);
  expect(right).toMatchObject({ period: '2026-W11 Silver', pays: 25_000_000n });
  expect(await paid(right.id)).toMatchObject({ state: 'completed' });
  expect(await ledger.totalsOf(holder)).toMatchObject({ weeklyRankBonusUsd: 25_000_000n });
  await reverseRun(right.id);
});

test('a partly paid period is completed with the settings it was started with', async () => {
  const left = await planned('gmp-distro');
  await runs.start(left);
  await sql`update run_chunk set paid_at = now(), transfers = 1 where run_id = ${left}`.execute(db.owner);
  await cancel(left);
  await runs.save('gmp-distro', { ...daily, amount: '900.00' });
  const { settingsVersion } = await runs.read(left);
  expect(await replan(left)).toMatchObject({ settingsVersion, part: 2 });
});

test('only the first unpaid day of payouts can be replanned, and referral checks never', async () => {
  await addStake(db.owner, { userId: holder, units: 100_000_000n, placedOn: '2026-03-01' });
  const payout = await runs.create('stake-payout', longAgo);
  await runs.plan(payout.id);
  await runs.start(payout.id);
  await sql`update run set state = 'refused', why = ${testReason}, ended_at = now() where id = ${payout.id}`.execute(
    db.owner,
  );
  expect(await hasUnpaidPeriod(payout.id)).toBe(true);
  const replanned = await replan(payout.id);
  expect(replanned).toMatchObject({ period: '2026-03-10' });
  expect(await paid(replanned.id)).toMatchObject({ state: 'completed' });
  expect(await hasUnpaidPeriod(payout.id)).toBe(false);
  const check = await runs.create('referral-check', longAgo);
  await runs.plan(check.id);
  await cancel(check.id);
  expect(await hasUnpaidPeriod(check.id)).toBe(false);
  expect((await callReplan(check.id)).status).toBe(409);
});

test('an administrator without the permission cannot replan', async () => {
  const left = await planned('gmp-distro');
  await cancel(left);
  await addAdmin(db.database, { username: 'sue', permissionSet: 'Support' });
  const sue = await server.signIn('sue');
  expect((await server.call('POST', `/api/runs/${left}/replan`, { token: sue })).status).toBe(403);
});
