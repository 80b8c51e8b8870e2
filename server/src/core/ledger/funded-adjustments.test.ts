import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { fillTreasury } from '#server/core/testing/stakes.ts';
import { deposit } from '#server/core/testing/transfers.ts';
import { treasuryOf } from './lines.ts';

const { db, server } = await testEnvironment();
const { posted, totalsOf, expectSound } = ledgerOf(db);
await addAdmin(db.database, { username: 'ann' });
await addAdmin(db.database, { username: 'bea' });
const token = await server.signIn('ann');
const beaToken = await server.signIn('bea');

async function adjust(user: string, amount: string, asset = 'USD') {
  const body = { id: randomUUID(), user, asset, amount, reason: 'A missed reward.' };
  const { status, json } = await server.call('POST', '/api/ledger/adjustments', { token, body });
  return { id: body.id, status, code: json['code'], state: json['state'] };
}

async function approve(subject: string) {
  const { json } = await server.call('GET', '/api/approvals?limit=100', { token });
  const all = json['approvals'] as { id: string; subject: string; digest: string }[];
  const found = all.find((one) => one.subject === subject);
  const body = { decision: 'approve', digest: found?.digest };
  return server.call('POST', `/api/approvals/${found?.id}/decide`, { token: beaToken, body });
}

const accountsOf = async (cause: string) =>
  (
    await sql<{ debit: string; credit: string }>`
      select debit, credit from transfer where cause_id = ${cause}::uuid`.execute(db.owner)
  ).rows;

test('the treasury pays a positive adjustment and gets a negative one', async () => {
  await fillTreasury(db.owner, 'USD', 50_000_000n);
  const { id: user } = await addUser(db.owner);
  const before = await treasuryOf(db.database, 'USD');
  const given = await adjust(user, '20');
  expect(await accountsOf(given.id)).toEqual([{ debit: 'treasury', credit: 'available' }]);
  expect(await treasuryOf(db.database, 'USD')).toBe(before - 20_000_000n);
  const taken = await adjust(user, '-5');
  expect(await accountsOf(taken.id)).toEqual([{ debit: 'available', credit: 'treasury' }]);
  expect(await treasuryOf(db.database, 'USD')).toBe(before - 15_000_000n);
  expect(await totalsOf(user)).toMatchObject({ availableUsd: 15_000_000n, depositUsd: 0n, taskRewardsUsd: 0n });
  await expectSound();
});

test('an adjustment that the treasury does not cover is refused, alone and after an approval', async () => {
  const { id: user } = await addUser(db.owner);
  const spare = await treasuryOf(db.database, 'USD');
  expect(spare).toBeLessThan(60_000_000n);
  expect(await adjust(user, '60')).toMatchObject({ status: 409, code: 'TreasuryTooLow' });
  const large = await adjust(user, '500');
  expect(large).toMatchObject({ status: 200, state: 'waiting' });
  expect((await approve(large.id)).json['code']).toBe('TreasuryTooLow');
  expect(await totalsOf(user)).toMatchObject({ availableUsd: 0n });
  await fillTreasury(db.owner, 'USD', 500_000_000n);
  expect((await approve(large.id)).status).toBe(200);
  expect(await totalsOf(user)).toMatchObject({ availableUsd: 500_000_000n });
  await expectSound();
});

test('concurrent adjustments never give more than the treasury has', async () => {
  await fillTreasury(db.owner, 'GMP', 25_000_000n);
  const { id: user } = await addUser(db.owner);
  const requests = await Promise.all(Array.from({ length: 5 }, () => adjust(user, '10', 'GMP')));
  const answers = await Promise.all(requests.map(({ id }) => approve(id)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
  expect(answers.filter(({ json }) => json['code'] === 'TreasuryTooLow')).toHaveLength(3);
  expect(await totalsOf(user)).toMatchObject({ availableGmp: 20_000_000n });
});

test('shares and points are issued, because the treasury has none', async () => {
  const { id: user } = await addUser(db.owner);
  const { id } = await adjust(user, '3', 'SHARE');
  expect((await approve(id)).status).toBe(200);
  expect(await accountsOf(id)).toEqual([{ debit: 'adjustments', credit: 'available' }]);
  await expectSound();
});

test.each([
  { asset: 'USD', debit: 'adjustments', credit: 'available' },
  { asset: 'USD', debit: 'available', credit: 'adjustments' },
  { asset: 'GMP', debit: 'adjustments', credit: 'available' },
  { asset: 'SLX', debit: 'treasury', credit: 'available' },
] as const)('the database refuses an adjustment of $asset from $debit to $credit', async (accounts) => {
  const { id: userId } = await addUser(db.owner);
  await posted(deposit({ userId }));
  await expect(posted(deposit({ userId, kind: 'adjustment', ...accounts }))).rejects.toThrow(
    'transfer_adjustment_is_funded',
  );
});
