import { splitByDailyLimit } from 'contract/withdrawals.ts';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addWithdrawal } from '#server/core/testing/transfers.ts';

const { db, server } = await testEnvironment();
const dollars = (amount: number) => BigInt(amount) * 1_000_000n;

async function addClerk(username: string, permissionSet?: 'Support' | 'Finance') {
  await addAdmin(db.database, { username, ...(permissionSet && { permissionSet }) });
  return server.signIn(username);
}

async function requested(amount: number) {
  const { id: userId } = await addUser(db.owner);
  const units = dollars(amount);
  return { id: await addWithdrawal(db.owner, { userId, units }), amount: units };
}

const readLimit = (token: string) => server.call('GET', '/api/withdrawals/daily-limit', { token });

test('the daily limit shows what can be paid without a second approver and how much of it is used', async () => {
  const [ann, bea] = [await addClerk('ann', 'Finance'), await addClerk('bea', 'Finance')];
  expect((await readLimit(ann)).json).toEqual({ limit: '1000.00', usedToday: '0.00' });
  const { id } = await requested(250);
  await server.call('POST', `/api/withdrawals/${id}/approve`, { token: ann, body: {} });
  expect((await readLimit(ann)).json).toEqual({ limit: '1000.00', usedToday: '250.00' });
  expect((await readLimit(bea)).json).toEqual({ limit: '1000.00', usedToday: '0.00' });
});

test('an Admin narrowed to Support cannot read the daily limit', async () => {
  expect((await readLimit(await addClerk('sue', 'Support'))).status).toBe(403);
});

test('the split that is shown before a bulk approval matches what the server does', async () => {
  const token = await addClerk('cleo', 'Finance');
  const first = await requested(150);
  await server.call('POST', `/api/withdrawals/${first.id}/approve`, { token, body: {} });
  const many = [];
  // 400 and 450 use exactly the rest of the limit; 900 between them does not fit, and afterwards not even 1 does.
  for (const amount of [400, 900, 450, 1, 3_000]) many.push(await requested(amount));
  const { paidNow, needApproval } = splitByDailyLimit(many, { limit: dollars(1_000), usedToday: dollars(150) });
  expect(paidNow.map(({ amount }) => amount)).toEqual([dollars(400), dollars(450)]);

  const ids = many.map(({ id }) => id);
  const { json } = await server.call('POST', '/api/withdrawals/decide', { token, body: { ids } });
  expect(json).toEqual({ done: paidNow.length, requested: needApproval.length, refused: [] });
  for (const { id } of paidNow) expect(await statusOf(id, token)).toMatchObject({ state: 'approved' });
  for (const { id } of needApproval)
    expect(await statusOf(id, token)).toMatchObject({ waitsUntil: expect.any(String) });
});

async function statusOf(id: string, token: string) {
  return (await server.call('GET', `/api/withdrawals/${id}`, { token })).json['withdrawal'];
}
