import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { platformId } from '#server/core/platform-id.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addApiKey } from '#server/core/testing/api-key.ts';
import { inboundScopes, newWallet, platformOf } from '#server/core/testing/inbound.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { openStream } from '#server/core/testing/stream.ts';
import { deposit } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.owner, { username: 'ann' });
const { secret } = await addApiKey(db.owner, { scopes: [...inboundScopes] });
const { call, send } = platformOf(server, secret);
const { posted, totalsOf, expectSound } = ledgerOf(db);

const wallet = newWallet();
let sent = 0;

const requestItem = (user: string, chosen: object = {}) => {
  sent += 1;
  return { id: `w-${sent}`, user, asset: 'USD', amount: '40', wallet, at: '2026-02-03T04:05:06.789Z', ...chosen };
};

async function userWith(units: bigint) {
  const { id: userId, userId: number } = await addUser(db.owner);
  if (units > 0n) await posted(deposit({ userId, units }));
  return { userId, number, totals: () => totalsOf(userId) };
}

const dollar = 1_000_000n;
const rowOf = (id: string) =>
  db.owner.selectFrom('withdrawal').selectAll().where('id', '=', platformId('withdrawal', id)).executeTakeFirst();

test('a request puts its amount on hold and keeps the figures of that moment', async () => {
  const { userId, number, totals } = await userWith(100n * dollar);
  await posted(deposit({ userId, asset: 'SHARE', units: 7n }), deposit({ userId, asset: 'SLX', units: 30n }));
  const items = [requestItem(number), requestItem(number, { amount: '60' })];
  expect(await send('withdrawals', ...items)).toEqual(['stored', 'stored']);
  expect(await totals()).toMatchObject({ availableUsd: 0n, withdrawingUsd: 100n * dollar });
  const figures = { userId, wallet, status: 'Pending', gmpShares: 7n, prevSlx: 30n, slxPoints: 30n };
  const [first, second] = [await rowOf(items[0]?.id ?? ''), await rowOf(items[1]?.id ?? '')];
  expect(first).toMatchObject({ ...figures, amountUsd: 40n * dollar, balanceUsd: 100n * dollar });
  expect(second).toMatchObject({ ...figures, amountUsd: 60n * dollar, balanceUsd: 60n * dollar });
  expect(first?.createdAt).toEqual(new Date('2026-02-03T04:05:06.789Z'));
  await expectSound();
});

test('a balance can be used up exactly, and then no more', async () => {
  const { number, totals } = await userWith(100n * dollar);
  const items = [
    requestItem(number, { amount: '60' }),
    requestItem(number, { amount: '40.000001' }),
    requestItem(number, { amount: '40' }),
    requestItem(number, { amount: '0.000001' }),
  ];
  expect(await send('withdrawals', ...items)).toEqual(['stored', 'BalanceTooLow', 'stored', 'BalanceTooLow']);
  expect((await totals()).availableUsd).toBe(0n);
});

test('each item is refused with its own code', async () => {
  const { number } = await userWith(100n * dollar);
  const { userId: gone } = await addUser(db.owner, { retiredAt: new Date() });
  const cases: [object, string][] = [
    [{ asset: 'SOL' }, 'AssetNotPayable'],
    [{ asset: 'GMP' }, 'AssetNotPayable'],
    [{ amount: '0' }, 'AmountInvalid'],
    [{ wallet: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' }, 'WalletInvalid'],
    [{ wallet: '' }, 'WalletInvalid'],
    [{ user: 'nobody' }, 'UserUnknown'],
    [{ user: gone }, 'UserDeleted'],
    [{ at: '2999-01-01T00:00:00Z' }, 'TimeInvalid'],
    [{ amount: '100.01' }, 'BalanceTooLow'],
  ];
  const items = cases.map(([change]) => requestItem(number, change));
  expect(await send('withdrawals', ...items)).toEqual(cases.map(([, code]) => code));
});

test('the same request sent again is a duplicate, also after it was decided', async () => {
  const { number, totals } = await userWith(100n * dollar);
  const item = requestItem(number);
  expect(await send('withdrawals', item, item)).toEqual(['stored', 'duplicate']);
  for (const change of [{ amount: '41' }, { wallet: newWallet() }, { asset: 'GMP' }, { at: '2026-02-03T04:05:07Z' }]) {
    expect(await send('withdrawals', { ...item, ...change })).toEqual(['IdReused']);
  }
  const token = await server.signIn('ann');
  const id = platformId('withdrawal', item.id);
  const body = { reason: 'Not today, sorry' };
  expect((await server.call('POST', `/api/withdrawals/${id}/reject`, { token, body })).status).toBe(200);
  expect(await send('withdrawals', item)).toEqual(['duplicate']);
  expect(await totals()).toMatchObject({ availableUsd: 100n * dollar, withdrawingUsd: 0n });
  await expectSound();
});

test('nothing is stored while withdrawals are switched off', async () => {
  const { number, totals } = await userWith(100n * dollar);
  const item = requestItem(number);
  await sql`update withdrawal_switch set enabled = false`.execute(db.owner);
  const { status, json } = await call('withdrawals', [item]);
  expect([status, json['code']]).toEqual([409, 'WithdrawalsDisabled']);
  await sql`update withdrawal_switch set enabled = true`.execute(db.owner);
  expect((await totals()).availableUsd).toBe(100n * dollar);
  expect(await send('withdrawals', item)).toEqual(['stored']);
});

test('calls at the same time never spend a balance twice', async () => {
  const { number, totals } = await userWith(100n * dollar);
  const calls = Array.from({ length: 5 }, () => send('withdrawals', requestItem(number), requestItem(number)));
  const outcomes = (await Promise.all(calls)).flat();
  expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(2);
  expect(outcomes.filter((outcome) => outcome === 'BalanceTooLow')).toHaveLength(8);
  expect(await totals()).toMatchObject({ availableUsd: 20n * dollar, withdrawingUsd: 80n * dollar });
  await expectSound();
});

test('five identical concurrent calls have one effect', async () => {
  const { number, totals } = await userWith(100n * dollar);
  const items = [requestItem(number), requestItem(number), requestItem(number)];
  const answers = await Promise.all(Array.from({ length: 5 }, () => send('withdrawals', ...items)));
  expect(answers.map((outcomes) => outcomes.join(' ')).toSorted()).toEqual([
    ...Array(4).fill('duplicate duplicate BalanceTooLow'),
    'stored stored BalanceTooLow',
  ]);
  expect((await totals()).availableUsd).toBe(20n * dollar);
});

test('a live update tells of requests', async () => {
  const token = await server.signIn('ann');
  const stream = await openStream(server.address, { authorization: `Bearer ${token}` });
  await send('withdrawals', requestItem((await userWith(100n * dollar)).number));
  await stream.heard({ feature: 'withdrawals', id: 'inbound' });
  await stream.close();
});
