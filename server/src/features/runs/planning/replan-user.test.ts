import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunKind } from 'contract/run-kinds.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { runsOf, setRunLimit, steeringOf } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { deposit } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';
import { rangeOf } from '../store/ranges.ts';

/* What was reversed for one user is paid again to that user alone. */
const { db, server } = await testEnvironment();
const runs = runsOf(db);
const ledger = ledgerOf(db);
const users: string[] = [];
let ann = '';
beforeAll(async () => {
  await addAdmin(db.database, { username: 'ann' });
  ann = await server.signIn('ann');
  await fillTreasury(db.owner, 'USD', 10n ** 15n);
  await fillTreasury(db.owner, 'GMP', 10n ** 15n);
  await setRunLimit(db.owner, 10n ** 15n);
  const daily = { frequency: 'Daily', time: '00:00', enabled: true, weekday: 1, utcOffset: 0, percentage: 100 };
  await runs.save('gmp-distro', { ...daily, amount: '100.00' });
  await runs.save('rank-bonus', { rank: 'Silver', bonusAmount: '10.00' });
  await runs.save('stake-payout', { enabled: true, baseReward: 50, bonusReward: 20, loyaltyReward: 30 });
  await runs.save('referral-check', { period: 30, reward: 5 });
  for (const place of [0, 1, 2]) {
    const sponsor = place === 0 ? {} : { sponsorId: users[0] ?? '' };
    const { id: userId } = await addUser(db.owner, { rank: 'Silver', createdAt: new Date('2026-03-01'), ...sponsor });
    await addStake(db.owner, { userId, units: 100_000_000n, placedOn: '2026-03-02' });
    await ledger.posted(deposit({ userId, asset: 'SHARE', units: 3n }));
    users.push(userId);
  }
});
afterAll(() => ledger.expectSound());

const now = new Date('2026-03-11T12:00:00Z');
const callReplan = (id: string, user: string) =>
  server.call('POST', `/api/runs/${id}/users/${user}/replan`, { token: ann });

async function pay(id: string) {
  await runs.plan(id);
  expect(await runs.start(id)).toBeUndefined();
  return runs.pay(id);
}

test.each<RunKind>(['stake-payout', 'gmp-distro', 'rank-bonus', 'referral-check'])(
  '%s: a reversal of one user can be paid again, and pays the others nothing',
  async (kind) => {
    const paid = await pay((await runs.create(kind, now)).id);
    const totals = await runs.totals();
    const user = users[0] ?? '';
    expect((await callReplan(paid.id, user)).json).toMatchObject({ status: 409, code: 'UserNotReversed' });
    const reversal = await runs.reverse(paid.id, user);
    await runs.start(reversal.id);
    await runs.pay(reversal.id);
    expect(await runs.totals()).not.toEqual(totals);

    const { status, json } = await callReplan(paid.id, user);
    expect(status).toBe(200);
    const { run } = json as { run: { id: string; onlyUser: string } };
    expect(run).toMatchObject({ onlyUser: user });
    expect(await pay(run.id)).toMatchObject({ state: 'completed', period: paid.period, pays: reversal.pays });
    expect(new Set((await runs.linesOf(run.id)).map(({ userId }) => userId))).toEqual(new Set([user]));
    expect(await runs.totals()).toEqual(totals);

    const again = (await callReplan(paid.id, user)).json as { run: { id: string } };
    expect(await runs.plan(again.run.id)).toMatchObject({ pays: 0n });
    await steeringOf(db).steer(again.run.id, 'cancel');
  },
);

test('one holder is paid again what was reversed, although others hold shares or are ineligible by now', async () => {
  const tomorrow = new Date('2026-03-12T12:00:00Z');
  const paid = await pay((await runs.create('gmp-distro', tomorrow)).id);
  const [user = '', other = ''] = users;
  const reversal = await runs.reverse(paid.id);
  await runs.start(reversal.id);
  await runs.pay(reversal.id);
  const { id: newcomer } = await addUser(db.owner);
  await ledger.posted(deposit({ userId: newcomer, asset: 'SHARE', units: 30n }));
  await sql`update platform_user set blacklisted_at = now(), blacklist_reason = 'Fraud' where id = ${other}::uuid`.execute(
    db.owner,
  );
  const [first] = (await runs.linesOf(paid.id)).filter(({ userId }) => userId === user);
  const { run } = (await callReplan(paid.id, user)).json as { run: { id: string } };
  expect(await pay(run.id)).toMatchObject({ state: 'completed', lines: 1n, pays: first?.base });
  await sql`update platform_user set blacklisted_at = null, blacklist_reason = null where id = ${other}::uuid`.execute(
    db.owner,
  );
});

test('reversing a run that paid one user leaves the day of the others paid', async () => {
  const before = new Date('2026-03-12T12:00:00Z');
  const paid = await pay((await runs.create('stake-payout', before)).id);
  const user = users[0] ?? '';
  const reverse = async (id: string, who?: string) => {
    const reversal = await runs.reverse(id, who);
    await runs.start(reversal.id);
    await runs.pay(reversal.id);
  };
  await reverse(paid.id, user);
  const { run } = (await callReplan(paid.id, user)).json as { run: { id: string } };
  await pay(run.id);
  await reverse(run.id);
  const next = await runs.create('stake-payout', new Date('2026-03-13T12:00:00Z'));
  expect(next).toMatchObject({ period: '2026-03-12' });
});

test('a period can be planned again after a run for one user that had nothing to pay', async () => {
  const { id: user } = await addUser(db.owner, { rank: 'Gold' });
  await addUser(db.owner, { rank: 'Gold' });
  await runs.save('rank-bonus', { rank: 'Gold', bonusAmount: '10.00' });
  const planned = await server.call('POST', '/api/runs', { token: ann, body: { kind: 'rank-bonus' } });
  const paid = await pay((planned.json as { run: { id: string } }).run.id);
  const reversal = await runs.reverse(paid.id);
  await runs.start(reversal.id);
  await runs.pay(reversal.id);
  await sql`update platform_user set retired_at = now() where id = ${user}::uuid`.execute(db.owner);
  const { run } = (await callReplan(paid.id, user)).json as { run: { id: string } };
  expect(await pay(run.id)).toMatchObject({ state: 'completed', lines: 0n });

  const again = await server.call('POST', `/api/runs/${paid.id}/replan`, { token: ann });
  expect(again.status).toBe(200);
  const { run: whole } = again.json as { run: { id: string } };
  expect(await pay(whole.id)).toMatchObject({ state: 'completed', lines: 1n, pays: 10_000_000n });
});

test('the range of a user contains no other user', () => {
  expect(rangeOf('01a1ee9f-0000-7000-8000-000000000000')).toEqual({
    after: '01a1ee9f-0000-7000-7fff-ffffffffffff',
    to: '01a1ee9f-0000-7000-8000-000000000000',
  });
});
