import { expect, test } from 'vitest';
import { platformId } from '#server/core/platform-id.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addApiKey } from '#server/core/testing/api-key.ts';
import { inboundScopes, newWallet, platformOf, userItem } from '#server/core/testing/inbound.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { openStream } from '#server/core/testing/stream.ts';
import { addUser } from '#server/core/testing/user.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.owner, { username: 'ann' });
const { secret } = await addApiKey(db.owner, { scopes: [...inboundScopes] });
const { call, send } = platformOf(server, secret);

const readUser = (userId: string) =>
  db.owner.selectFrom('platformUser').selectAll().where('userId', '=', userId).executeTakeFirst();

test('one live update tells of the whole call', async () => {
  const token = await server.signIn('ann');
  const stream = await openStream(server.address, { authorization: `Bearer ${token}` });
  await send('users', userItem(), userItem());
  await stream.heard({ feature: 'users', id: 'inbound' });
  await stream.close();
  expect(stream.events.filter(({ feature }) => feature === 'users')).toHaveLength(1);
});

test('a user is stored as the platform sent them, under an id that follows from its own', async () => {
  const item = userItem({ role: 'Admin', wallet: newWallet() });
  expect(await send('users', item)).toEqual(['stored']);
  expect(await readUser(item.id)).toMatchObject({
    id: platformId('user', item.id),
    userId: item.id,
    username: item.username,
    role: 'Admin',
    wallet: item.wallet,
    solWalletAddress: item.solWalletAddress,
    referralCode: item.referralCode,
    sponsorId: null,
    createdAt: new Date(item.joinedAt),
  });
});

test('the same user sent again is a duplicate, and other content under the same id is refused', async () => {
  const item = userItem();
  expect(await send('users', item, item)).toEqual(['stored', 'duplicate']);
  expect(await send('users', item)).toEqual(['duplicate']);
  for (const change of [
    { username: 'somebody.else' },
    { role: 'Admin' },
    { wallet: newWallet() },
    { solWalletAddress: newWallet() },
    { referralCode: 'OTHERCODE' },
    { joinedAt: '2026-01-05T10:00:00.001Z' },
    { sponsor: { id: userItem().id } },
  ]) {
    expect(await send('users', { ...item, ...change }), JSON.stringify(change)).toEqual(
      'sponsor' in change ? ['duplicate'] : ['IdReused'],
    );
  }
});

test('a user is still a duplicate after an administrator changed them', async () => {
  const item = userItem();
  await send('users', item);
  const token = await server.signIn('ann');
  const { id, version } = (await readUser(item.id)) ?? {};
  const change = { version, wallet: newWallet(), referralCode: `NEW${item.referralCode.slice(4)}` };
  expect((await server.call('PATCH', `/api/users/${id}`, { token, body: change })).status).toBe(200);
  expect(await send('users', item)).toEqual(['duplicate']);
});

test('a user who came without a digest is compared with their row', async () => {
  const item = userItem();
  const { id: userId, joinedAt, ...row } = item;
  await addUser(db.owner, { ...row, userId, createdAt: new Date(joinedAt) });
  expect(await send('users', item, { ...item, username: 'another.name' })).toEqual(['duplicate', 'IdReused']);
});

test('a sponsor is found by id or referral code, stored before or earlier in the same call', async () => {
  const [top, middle, low] = [userItem(), userItem(), userItem()];
  expect(await send('users', top)).toEqual(['stored']);
  expect(
    await send(
      'users',
      { ...middle, sponsor: { referralCode: top.referralCode } },
      { ...low, sponsor: { id: middle.id } },
    ),
  ).toEqual(['stored', 'stored']);
  expect((await readUser(middle.id))?.sponsorId).toBe((await readUser(top.id))?.id);
  expect((await readUser(low.id))?.sponsorId).toBe((await readUser(middle.id))?.id);
});

test('each item is refused with its own code, and the others are stored', async () => {
  const known = userItem();
  await send('users', known);
  const later = userItem();
  const alone = userItem();
  const cases: [object, string][] = [
    [{ username: known.username.toUpperCase() }, 'UsernameTaken'],
    [{ username: ' padded ' }, 'UsernameInvalid'],
    [{ username: 'x'.repeat(65) }, 'UsernameInvalid'],
    [{ referralCode: known.referralCode }, 'ReferralCodeTaken'],
    [{ referralCode: 'short' }, 'ReferralCodeInvalid'],
    [{ wallet: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, 'WalletInvalid'],
    [{ solWalletAddress: '0x52908400098527886E0F7030069857D2E4169EE7' }, 'WalletInvalid'],
    [{ sponsor: { id: later.id } }, 'SponsorUnknown'],
    [{ sponsor: { referralCode: 'NOBODYHASIT' } }, 'SponsorUnknown'],
    [{ id: alone.id, sponsor: { id: alone.id } }, 'SelfSponsor'],
    [{ referralCode: 'MYOWNCODE', sponsor: { referralCode: 'MYOWNCODE' } }, 'SelfSponsor'],
    [{ joinedAt: '2999-01-01T00:00:00Z' }, 'TimeInvalid'],
    [{ joinedAt: '1999-12-31T23:59:59Z' }, 'TimeInvalid'],
  ];
  const items = cases.map(([change]) => userItem(change));
  expect(await send('users', ...items, later)).toEqual([...cases.map(([, code]) => code), 'stored']);
  expect(await readUser(later.id)).toBeDefined();
});

test('two new users of one call cannot have the same name or code', async () => {
  const first = userItem();
  expect(
    await send('users', first, userItem({ username: first.username }), userItem({ referralCode: first.referralCode })),
  ).toEqual(['stored', 'UsernameTaken', 'ReferralCodeTaken']);
});

test.each(['solPrivateKey', 'password', 'token'])('a call with a %s is refused as a whole', async (field) => {
  const item = userItem();
  const { status, json } = await call('users', [userItem(), { ...item, [field]: 'x' }]);
  expect([status, json['code']]).toEqual([400, 'InvalidRequest']);
  expect(await readUser(item.id)).toBeUndefined();
});

test('five identical calls at once store each user once', async () => {
  const top = userItem();
  const items = [top, ...Array.from({ length: 49 }, () => userItem({ sponsor: { id: top.id } }))];
  const answers = await Promise.all(Array.from({ length: 5 }, () => send('users', ...items)));
  const stored = answers.filter((outcomes) => outcomes.every((outcome) => outcome === 'stored'));
  const duplicate = answers.filter((outcomes) => outcomes.every((outcome) => outcome === 'duplicate'));
  expect([stored.length, duplicate.length]).toEqual([1, 4]);
});
