import { expect, test } from 'vitest';
import { createClient } from '../client/src/client.ts';
import { isEvent } from '../client/src/events.ts';
import { platformId } from '../server/src/core/platform-id.ts';
import { addApiKey } from '../server/src/core/testing/api-key.ts';
import { testEnvironment } from '../server/src/core/testing/environment.ts';
import { inboundScopes, newWallet, userItem } from '../server/src/core/testing/inbound.ts';
import { ledgerOf } from '../server/src/core/testing/ledger.ts';
import { addAdmin } from '../server/src/core/testing/server.ts';
import { settlementOf } from '../server/src/core/testing/settlement.ts';

/* The client package against a real server. */
const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'root', role: 'SuperAdmin' });
const { approve } = await settlementOf({ db, server });
const scopes = [...inboundScopes, 'settlement:write', 'events:read'] as const;
const { secret: apiKey } = await addApiKey(db.owner, { scopes: [...scopes] });
const client = createClient({ url: server.address, apiKey, giveUpAfterMs: 5_000 });
const { totalsOf, expectSound } = ledgerOf(db);

const now = () => new Date().toISOString();

test('more users than one call takes are added, and sent again they are duplicates', async () => {
  const users = Array.from({ length: 2_100 }, () => userItem());
  const outcomes = async () => new Set((await client.addUsers(users)).map(({ outcome }) => outcome));
  expect(await outcomes()).toEqual(new Set(['stored']));
  expect(await outcomes()).toEqual(new Set(['duplicate']));
});

test('a user joins, pays in, stakes and withdraws, and the platform follows the withdrawal to its end', async () => {
  const user = userItem();
  await client.addUsers([user]);
  await client.addDeposits([{ id: 'd-1', user: user.id, asset: 'USD', amount: '100', at: now() }]);
  expect(await client.placeStakes([{ id: 's-1', user: user.id, amount: '60', days: 30, placedAt: now() }])).toEqual([
    { id: 's-1', outcome: 'stored' },
  ]);
  const request = { user: user.id, asset: 'USD', wallet: newWallet(), at: now() } as const;
  const [first, second] = await client.requestWithdrawals([
    { ...request, id: 'w-1', amount: '40' },
    { ...request, id: 'w-2', amount: '0.01' },
  ]);
  expect([first, second]).toMatchObject([{ outcome: 'stored' }, { outcome: 'refused', code: 'BalanceTooLow' }]);

  await approve(platformId('withdrawal', 'w-1'), 'platform');
  const asked = [];
  for await (const event of client.eventsAfter()) {
    if (isEvent(event, 'withdrawal.approved') && event.data.isAsked) asked.push(event.data);
  }
  expect(asked).toMatchObject([{ platformId: 'w-1', userId: user.id, amount: '40.00' }]);
  await client.reportWithdrawal('w-1', { outcome: 'sent', reference: 'tx-1' });
  expect(await client.reportWithdrawal('w-1', { outcome: 'confirmed' })).toEqual({
    id: 'w-1',
    state: 'confirmed',
    reference: 'tx-1',
  });
  await expect(client.reportWithdrawal('w-1', { outcome: 'failed', reason: 'No.' })).rejects.toMatchObject({
    status: 409,
    code: 'WithdrawalSettled',
  });
  expect(await totalsOf(platformId('user', user.id))).toMatchObject({ availableUsd: 0n, withdrawnUsd: 40_000_000n });
  await expectSound();
});

test('a page of events ends at its limit, and the next one continues', async () => {
  const all = await client.readEvents();
  const first = await client.readEvents({ limit: 1 });
  expect(first.hasMore).toBe(true);
  const rest = await client.readEvents({ after: first.cursor });
  expect([...first.events, ...rest.events]).toEqual(all.events);
});

test('maintenance is waited out if it ends soon, and reported if it does not', async () => {
  const activity = () => client.recordActivity([{ id: 'a-1', user: 'nobody', type: 'Login', at: now() }]);
  const token = await server.signIn('root');
  await server.call('POST', '/api/maintenance', { token, body: { active: true } });
  await expect(activity()).rejects.toMatchObject({ status: 503, code: 'UnderMaintenance' });
  await server.call('POST', '/api/maintenance', { token, body: { active: false } });
  expect(await activity()).toMatchObject([{ outcome: 'refused', code: 'UserUnknown' }]);
});

test('a key without the scope, and a wrong key, are refused at once', async () => {
  const { secret } = await addApiKey(db.owner, { scopes: ['events:read'] });
  const narrow = createClient({ url: server.address, apiKey: secret });
  await expect(narrow.addUsers([userItem()])).rejects.toMatchObject({ status: 403, code: 'ScopeMissing' });
  const wrong = createClient({ url: server.address, apiKey: `${secret}x` });
  await expect(wrong.readEvents()).rejects.toMatchObject({ status: 401, code: 'KeyRequired' });
});
