import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { fillTreasury } from '#server/core/testing/stakes.ts';
import { deposit } from '#server/core/testing/transfers.ts';

const { db, server } = await testEnvironment();
const { posted, totalsOf, expectSound } = ledgerOf(db);
const ann = await addAdmin(db.database, { username: 'ann', permissionSet: 'Finance' });
await addAdmin(db.database, { username: 'bea' });
// The cover by the treasury is tested in funded-adjustments.test.ts.
await fillTreasury(db.owner, 'USD', 10n ** 10n);
await fillTreasury(db.owner, 'GMP', 10n ** 10n);
const token = await server.signIn('ann');
const beaToken = await server.signIn('bea');

const adjust = async (body: object, by = token) => {
  const { status, json } = await server.call('POST', '/api/ledger/adjustments', { token: by, body });
  return { status, code: json['code'], id: String(json['id']), state: json['state'] };
};
const adjustment = (user: string, more: object = {}) => ({
  id: randomUUID(),
  user,
  asset: 'USD',
  amount: '50.25',
  reason: 'A missed reward.',
  ...more,
});

async function approvalOf(subject: string) {
  const { json } = await server.call('GET', '/api/approvals?limit=100', { token });
  const all = json['approvals'] as { id: string; subject: string; digest: string; facts: unknown }[];
  return all.find((one) => one.subject === subject);
}

test('an adjustment is posted immediately, and the audit log has its author and reason', async () => {
  const { id: user, username } = await addUser(db.owner);
  const { status, id, state } = await adjust(adjustment(user));
  expect({ status, state }).toEqual({ status: 200, state: 'posted' });
  expect(await totalsOf(user)).toMatchObject({ availableUsd: 50_250_000n, depositUsd: 0n, taskRewardsUsd: 0n });
  const { json } = await server.call('GET', `/api/ledger/transfers?user=${user}`, { token });
  const [transfer] = json['transfers'] as object[];
  expect(transfer).toMatchObject({
    kind: 'adjustment',
    cause: id,
    amount: '50.25',
    from: 'treasury',
    to: 'available',
  });
  const acts = db.owner.selectFrom('auditEntry').select(['action', 'actorId', 'details']).where('subjectId', '=', user);
  const [act] = await acts.execute();
  expect(act).toMatchObject({ action: 'ledger.adjust', actorId: ann.id });
  expect(JSON.parse(act?.details ?? '')).toEqual({
    adjustment: id,
    username,
    asset: 'USD',
    amount: '50.25',
    reason: 'A missed reward.',
  });
});

test('a repeated request has no further effect, and a different one with the same id is refused', async () => {
  const { id: user } = await addUser(db.owner);
  const first = adjustment(user, { amount: '1' });
  const answers = await Promise.all(Array.from({ length: 5 }, () => adjust(first)));
  for (const answer of answers) expect(answer).toMatchObject({ status: 200, id: first.id, state: 'posted' });
  expect((await totalsOf(user)).availableUsd).toBe(1_000_000n);
  for (const other of [{ amount: '2' }, { reason: 'Another.' }, { asset: 'GMP' }]) {
    expect(await adjust({ ...first, ...other })).toMatchObject({ status: 422, code: 'AdjustmentDiffers' });
  }
  expect(await adjust(first, beaToken)).toMatchObject({ status: 422, code: 'AdjustmentDiffers' });
});

test('the limit applies to the sum of an administrator’s adjustments of a day', async () => {
  await addAdmin(db.database, { username: 'cleo' });
  const cleo = await server.signIn('cleo');
  const { id: user } = await addUser(db.owner);
  const answers = await Promise.all(Array.from({ length: 8 }, () => adjust(adjustment(user, { amount: '30' }), cleo)));
  expect(answers.filter(({ state }) => state === 'posted')).toHaveLength(3);
  expect((await totalsOf(user)).availableUsd).toBe(90_000_000n);
});

test('a transfer shows who adjusted it and why', async () => {
  const { id: user } = await addUser(db.owner);
  await adjust(adjustment(user, { amount: '1' }), beaToken);
  const { json } = await server.call('GET', `/api/ledger/transfers?user=${user}`, { token });
  const [transfer] = json['transfers'] as { id: string }[];
  const read = await server.call('GET', `/api/ledger/transfers/${transfer?.id}`, { token });
  expect(read.json['adjusted']).toEqual({ by: 'bea', reason: 'A missed reward.' });
});

test('a negative amount deducts, but not more than the balance', async () => {
  await addAdmin(db.database, { username: 'dora' });
  const dora = await server.signIn('dora');
  const { id: user } = await addUser(db.owner);
  await posted(deposit({ userId: user, units: 60_000_000n }));
  expect(await adjust(adjustment(user, { amount: '-50' }), dora)).toMatchObject({ status: 200, state: 'posted' });
  expect(await totalsOf(user)).toMatchObject({ availableUsd: 10_000_000n });
  expect(await adjust(adjustment(user, { amount: '-50' }), dora)).toMatchObject({
    status: 409,
    code: 'BalanceTooLow',
  });
  await expectSound();
});

test.each([
  { more: { amount: '100.000001' }, figure: 'availableUsd', units: 100_000_001n, fact: '100000001 USD' },
  { more: { asset: 'GMP', amount: '1' }, figure: 'availableGmp', units: 1_000_000n, fact: '1000000 GMP' },
  { more: { asset: 'SHARE', amount: '3' }, figure: 'gmpShares', units: 3n, fact: '3 SHARE' },
] as const)('$fact waits for a second approver', async ({ more, figure, units, fact }) => {
  const { id: user } = await addUser(db.owner);
  const { id, state } = await adjust(adjustment(user, more));
  expect(state).toBe('waiting');
  expect((await totalsOf(user))[figure]).toBe(0n);
  const approval = await approvalOf(id);
  expect(approval?.facts).toContainEqual({ key: 'adjustment', value: fact });
  const body = { decision: 'approve', digest: approval?.digest };
  const path = `/api/approvals/${approval?.id}/decide`;
  expect((await server.call('POST', path, { token, body })).json['code']).toBe('OwnRequest');
  const tries = await Promise.all(
    Array.from({ length: 10 }, () => server.call('POST', path, { token: beaToken, body })),
  );
  expect(tries.filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await totalsOf(user))[figure]).toBe(units);
  await expectSound();
});

test('a deduction above the limit waits for a second approver too', async () => {
  const { id: user } = await addUser(db.owner);
  await posted(deposit({ userId: user, units: 500_000_000n }));
  expect(await adjust(adjustment(user, { amount: '-100.000001' }))).toMatchObject({ status: 200, state: 'waiting' });
  expect((await totalsOf(user)).availableUsd).toBe(500_000_000n);
});

test.each(['0', '0.00', '1.0000001', 'much', '', '1e3', '1000000000.01', '-1000000000.01'])(
  'an adjustment of %j dollars is refused',
  async (amount) => {
    const { id: user } = await addUser(db.owner);
    expect(await adjust(adjustment(user, { amount }))).toMatchObject({ status: 422, code: 'AmountInvalid' });
  },
);

test('an adjustment needs an existing user, an asset other than SOL and a reason', async () => {
  expect(await adjust(adjustment('019c0000-0000-7000-8000-000000000000'))).toMatchObject({
    status: 404,
    code: 'UserNotFound',
  });
  const { id: user } = await addUser(db.owner);
  expect((await adjust(adjustment(user, { asset: 'SOL' }))).status).toBe(400);
  expect((await adjust(adjustment(user, { reason: ' ' }))).status).toBe(400);
});

test.each(['Support', 'Auditor'] as const)(
  'an Admin with the permission set %s cannot adjust',
  async (permissionSet) => {
    const username = `adjusts.${permissionSet.toLowerCase()}`;
    await addAdmin(db.database, { username, permissionSet });
    const { id: user } = await addUser(db.owner);
    expect((await adjust(adjustment(user), await server.signIn(username))).status).toBe(403);
  },
);
