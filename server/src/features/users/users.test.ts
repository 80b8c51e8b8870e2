import { afterAll, expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { approved } from '#server/core/testing/second.ts';
import { addAdmin, testServer } from '#server/core/testing/server.ts';
import { openStream } from '#server/core/testing/stream.ts';
import { deposit } from '#server/core/testing/transfers.ts';

const { db, server } = await testEnvironment();
const second = await testServer(db.url);
afterAll(() => second[Symbol.asyncDispose]());

const ann = await addAdmin(db.database, { username: 'ann' });
const token = await server.signIn('ann');
await addAdmin(db.database, { username: 'bea' });
const beaToken = await server.signIn('bea');

type StoredUser = { role: string; wallet: string; referralCode: string; version: number; updatedAt: string };

const change = (id: string, body: object, on = server) => on.call('PATCH', `/api/users/${id}`, { token, body });
const remove = (id: string, on = server) => on.call('POST', `/api/users/${id}/delete`, { token });
const blacklist = (id: string, body: object, on = server) =>
  on.call('POST', `/api/users/${id}/blacklist`, { token, body });
const read = async (id: string) =>
  (await server.call('GET', `/api/users/${id}`, { token })).json['user'] as StoredUser & Record<string, unknown>;

async function actsOn(id: string) {
  const acts = await db.owner
    .selectFrom('auditEntry')
    .select(['action', 'actorId', 'details'])
    .where('subjectId', '=', id)
    .orderBy('seq')
    .execute();
  return acts.map(({ details, ...act }) => ({ ...act, details: JSON.parse(details) as unknown }));
}

const wallet = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => String(status)).toSorted();

test('role, wallet and referral code can be changed, alone or together, and nothing else changes', async () => {
  const { id } = await addUser(db.owner, { referralCode: 'FIRST1' });
  const before = await read(id);
  const one = await change(id, { version: 1, role: 'Admin' });
  expect(one.json['user']).toEqual({ ...before, role: 'Admin', version: 2, updatedAt: expect.any(String) });
  const both = await change(id, { version: 2, wallet, referralCode: 'SECOND2' });
  expect(both.json['user']).toMatchObject({ role: 'Admin', wallet, referralCode: 'SECOND2', version: 3 });
  const now = await read(id);
  expect(now).toEqual(both.json['user']);
  expect(now.updatedAt > before.updatedAt).toBe(true);
  expect(await actsOn(id)).toEqual([
    {
      action: 'users.change',
      actorId: ann.id,
      details: { before: { role: 'User' }, after: { role: 'Admin' } },
    },
    {
      action: 'users.change',
      actorId: ann.id,
      details: {
        before: { wallet: before.wallet, referralCode: 'FIRST1' },
        after: { wallet, referralCode: 'SECOND2' },
      },
    },
  ]);
});

test('saving the current values succeeds, and changes and records nothing', async () => {
  const { id } = await addUser(db.owner, { referralCode: 'SAME001' });
  const before = await read(id);
  const { status, json } = await change(id, { version: 1, role: 'User', referralCode: before.referralCode });
  expect([status, json['user']]).toEqual([200, before]);
  expect(await actsOn(id)).toEqual([]);
});

test.each([
  ['userId', 'U1'],
  ['username', 'another'],
  ['solWalletAddress', wallet],
  ['solPrivateKey', 'mine'],
  ['password', 'mine'],
  ['totalEarnings', '1.00'],
  ['available', '1000000.00'],
  ['rank', 'Gold'],
  ['isBlacklisted', false],
  ['role', 'SuperAdmin'],
  ['wallet', '0OIl'],
  ['wallet', 'short'],
  ['referralCode', 'lower1'],
  ['referralCode', 'FIVE5'],
  ['version', '1'],
])('changing %s to %j is rejected', async (field, value) => {
  const { id } = await addUser(db.owner);
  const before = await read(id);
  expect((await change(id, { version: 1, [field]: value })).status).toBe(400);
  expect(await read(id)).toEqual(before);
});

test('a change based on an outdated version is refused and changes nothing', async () => {
  const { id } = await addUser(db.owner);
  await change(id, { version: 1, role: 'Admin' });
  const { status, json } = await change(id, { version: 1, wallet });
  expect([status, json['code']]).toEqual([409, 'UserConflict']);
  expect(json['error']).toBe('Someone else has just changed this user. Check the new values and save again.');
  expect(await read(id)).toMatchObject({ role: 'Admin', version: 2, wallet: expect.not.stringContaining(wallet) });
});

test('two concurrent saves of the same version: one succeeds, the other is refused', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { id } = await addUser(db.owner);
    const answers = await Promise.all([
      change(id, { version: 1, role: 'Admin' }),
      change(id, { version: 1, wallet }, second),
    ]);
    expect(statuses(answers)).toEqual(['200', '409']);
    expect(await actsOn(id)).toHaveLength(1);
    expect(await read(id)).toMatchObject({ version: 2 });
  }
});

test('the referral code of another user, even a deleted one, is refused', async () => {
  await addUser(db.owner, { referralCode: 'TAKEN01' });
  await addUser(db.owner, { referralCode: 'TAKEN02', retiredAt: new Date() });
  const { id } = await addUser(db.owner, { referralCode: 'OWN0001' });
  for (const referralCode of ['TAKEN01', 'TAKEN02']) {
    const { status, json } = await change(id, { version: 1, referralCode, role: 'Admin' });
    expect([status, json['code']]).toEqual([409, 'ReferralCodeTaken']);
    expect(json['error']).toBe('Another user has that referral code.');
  }
  expect(await read(id)).toMatchObject({ referralCode: 'OWN0001', role: 'User', version: 1 });
});

test('two concurrent changes to the same referral code: one succeeds, the other is refused', async () => {
  const [one, other] = [await addUser(db.owner), await addUser(db.owner)];
  const answers = await Promise.all([
    change(one.id, { version: 1, referralCode: 'RACE001' }),
    change(other.id, { version: 1, referralCode: 'RACE001' }, second),
  ]);
  expect(statuses(answers)).toEqual(['200', '409']);
});

test('every call refuses a deleted user; money, history and referrals are kept', async () => {
  const { id, userId, username } = await addUser(db.owner, { username: 'leaving' });
  const child = await addUser(db.owner, { sponsorId: id });
  await ledgerOf(db).posted(deposit({ userId: id, asset: 'SLX', units: 5n }));
  expect((await remove(id)).status).toBe(200);
  const answers = [
    await server.call('GET', `/api/users/${id}`, { token }),
    await remove(id),
    await change(id, { version: 2, role: 'Admin' }),
    await blacklist(id, { blacklisted: true, reason: 'Too late' }),
    await server.call('POST', '/api/users/promote', { token, body: { userId, newRank: 'Gold', reason: 'Too late' } }),
  ];
  for (const { status, json } of answers) expect([status, json['error']]).toEqual([404, 'User not found.']);
  const kept = db.owner.selectFrom('userTotal').select('slx').where('userId', '=', id);
  expect(await kept.executeTakeFirst()).toEqual({ slx: 5n });
  expect(await read(child.id)).toMatchObject({ referredBy: { id, isDeleted: true } });
  expect(await actsOn(id)).toEqual([
    { action: 'users.delete', actorId: ann.id, details: { before: { userId, username, role: 'User' } } },
  ]);
  // The name can be used again.
  await addUser(db.owner, { username: 'leaving' });
});

test('deleting a user revokes their token and no other', async () => {
  const [leaving, staying] = [await addUser(db.owner), await addUser(db.owner)];
  const held = [leaving, staying].map(({ id }) => ({ userId: id, tokenDigest: Buffer.from('digest') }));
  await db.owner.transaction().execute((tx) => tx.insertInto('userSecret').values(held).execute());
  await remove(leaving.id);
  const kept = await db.owner.selectFrom('userSecret').select('userId').where('tokenDigest', 'is not', null).execute();
  expect(kept).toEqual([{ userId: staying.id }]);
});

test('two concurrent deletions of the same user: one succeeds, the other gets not found', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id } = await addUser(db.owner);
    expect(statuses(await Promise.all([remove(id), remove(id, second)]))).toEqual(['200', '404']);
    expect(await actsOn(id)).toHaveLength(1);
  }
});

test('blacklisting and removing from the blacklist record their reasons in the audit log', async () => {
  const { id } = await addUser(db.owner);
  const done = await blacklist(id, { blacklisted: true, reason: '  Several accounts ' });
  expect(done.json['user']).toMatchObject({ isBlacklisted: true, blacklistReason: 'Several accounts', version: 2 });
  const undone = await blacklist(id, { blacklisted: false, reason: 'A mistake' });
  expect(undone.json['user']).toMatchObject({ isBlacklisted: false, blacklistReason: null, version: 3 });
  expect(await read(id)).toEqual(undone.json['user']);
  const listed = { isBlacklisted: true, blacklistReason: 'Several accounts' };
  const free = { isBlacklisted: false, blacklistReason: null };
  expect(await actsOn(id)).toEqual([
    {
      action: 'users.blacklist',
      actorId: ann.id,
      details: { reason: 'Several accounts', before: free, after: listed },
    },
    { action: 'users.unblacklist', actorId: ann.id, details: { reason: 'A mistake', before: listed, after: free } },
  ]);
});

test.each([{ blacklisted: true }, { blacklisted: true, reason: '  ab ' }, { reason: 'No word of what' }])(
  'blacklisting with only %j is rejected',
  async (body) => {
    const { id } = await addUser(db.owner);
    expect((await blacklist(id, body)).status).toBe(400);
  },
);

test.each([true, false])(
  'two administrators set blacklisted to %s concurrently: one succeeds, the other is refused',
  async (blacklisted) => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await addUser(db.owner);
      if (!blacklisted) await blacklist(id, { blacklisted: true, reason: 'Before the race' });
      const before = (await actsOn(id)).length;
      const answers = await Promise.all([
        blacklist(id, { blacklisted, reason: 'The first' }),
        blacklist(id, { blacklisted, reason: 'The second' }, second),
      ]);
      expect(statuses(answers)).toEqual(['200', '409']);
      const refused = answers.find(({ status }) => status === 409)?.json;
      expect(refused).toMatchObject({ code: 'BlacklistUnchanged', error: 'Someone else has just done this.' });
      expect(await actsOn(id)).toHaveLength(before + 1);
      expect(await read(id)).toMatchObject({ isBlacklisted: blacklisted });
    }
  },
);

test('every change is announced to all subscribers, on every process', async () => {
  const { id, userId } = await addUser(db.owner);
  const stream = await openStream(second.address, { authorization: `Bearer ${token}` });
  const received = () => stream.events.filter((event) => event.feature === 'users' && event.id === id).length;
  await change(id, { version: 1, role: 'Admin' });
  await blacklist(id, { blacklisted: true, reason: 'Followed' });
  const body = { userId, newRank: 'Gold', reason: 'Followed' };
  await approved(server, await server.call('POST', '/api/users/promote', { token, body }), beaToken);
  await remove(id);
  await expect.poll(received).toBe(4);
  await stream.close();
});

test.each([
  { role: 'SuperAdmin', writing: 200, promoting: 200 },
  { role: 'Admin', writing: 200, promoting: 200 },
  { role: 'Admin', permissionSet: 'Support', writing: 403, promoting: 403 },
  { role: 'Admin', permissionSet: 'Finance', writing: 403, promoting: 200 },
  { role: 'Admin', permissionSet: 'Auditor', writing: 403, promoting: 403 },
] as const)(
  'every administrator can read users; permission to write and promote: %o',
  async ({ writing, promoting, ...rights }) => {
    const username = `may.${Object.values(rights).join('.')}`;
    await addAdmin(db.database, { username, ...rights });
    const theirs = await server.signIn(username);
    const as = (method: string, path: string, body?: object) =>
      server.call(method, `/api/users${path}`, { token: theirs, ...(body && { body }) });
    const { id, userId } = await addUser(db.owner);
    for (const path of ['', `/${id}`, '/rank-changes']) expect((await as('GET', path)).status).toBe(200);
    expect((await as('POST', '/promote', { userId, newRank: 'Gold', reason: 'Earned' })).status).toBe(promoting);
    const { version } = await read(id);
    expect((await as('PATCH', `/${id}`, { version, role: 'Admin' })).status).toBe(writing);
    expect((await as('POST', `/${id}/blacklist`, { blacklisted: true, reason: 'Any' })).status).toBe(writing);
    expect((await as('POST', `/${id}/delete`)).status).toBe(writing);
  },
);
