import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin, testPassword, testServer } from '#server/core/testing/server.ts';
import { statementsDuring } from '#server/core/testing/statements.ts';

// The server trusts X-Forwarded-For from this machine, so that a test can call from any network.
const { db, server } = await testEnvironment({ BURSAR_TRUSTED_PROXIES: '127.0.0.1' });
await addAdmin(db.database, { username: 'ann' });
await addAdmin(db.database, { username: 'bea' });

beforeEach(async () => {
  await sql`delete from login_attempt`.execute(db.owner);
});

type Attempt = { username: string; password?: string; from: string; headers?: Record<string, string> };

function attempt({ username, password = 'not the right phrase', from, headers = {} }: Attempt) {
  return server.call('POST', '/api/admin/login', {
    body: { username, password },
    headers: { 'x-forwarded-for': from, ...headers },
  });
}

/** Sends ten wrong passwords, each from another network, so that only the limit of the account is reached. */
async function attackAccount(username: string) {
  for (let index = 0; index < 10; index += 1) await attempt({ username, from: `10.0.${index}.1` });
}

function expectToWait({ status, json, headers }: Awaited<ReturnType<typeof attempt>>) {
  expect(status).toBe(429);
  expect(json['code']).toBe('TooManyAttempts');
  expect(json['error']).toBe('Too many attempts. Please wait before trying again.');
  const seconds = Number(headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(15 * 60);
}

test('after ten failures on one account, an unknown device must wait, even with the right password', async () => {
  await attackAccount('ann');
  expectToWait(await attempt({ username: 'ann', password: testPassword, from: '10.9.9.9' }));
});

test('an attack on one account does not throttle another', async () => {
  await attackAccount('ann');
  expect((await attempt({ username: 'bea', password: testPassword, from: '10.9.9.9' })).status).toBe(200);
});

test('an unknown username is throttled like a known one', async () => {
  await attackAccount('nobody');
  expectToWait(await attempt({ username: 'nobody', from: '10.9.9.9' }));
});

test('an administrator under attack can still sign in from a browser they have used before', async () => {
  const before = await attempt({
    username: 'ann',
    password: testPassword,
    from: '10.7.7.7',
    headers: { origin: 'http://panel' },
  });
  const device =
    before.headers
      .getSetCookie()
      .find((cookie) => cookie.startsWith('__Host-bursar-device='))
      ?.split(';')[0] ?? '';
  await attackAccount('ann');

  const known = { origin: 'http://panel', cookie: device };
  expect((await attempt({ username: 'ann', password: testPassword, from: '10.0.0.1', headers: known })).status).toBe(
    200,
  );
  expectToWait(await attempt({ username: 'ann', password: testPassword, from: '10.7.7.7' }));
});

test('a known browser has its own limit of ten failures, and is unknown to every other account', async () => {
  const before = await attempt({
    username: 'ann',
    password: testPassword,
    from: '10.7.7.7',
    headers: { origin: 'http://panel' },
  });
  const device =
    before.headers
      .getSetCookie()
      .find((cookie) => cookie.startsWith('__Host-bursar-device='))
      ?.split(';')[0] ?? '';
  const known = { cookie: device };
  for (let index = 0; index < 10; index += 1) {
    expect((await attempt({ username: 'ann', from: '10.7.7.7', headers: known })).status).toBe(401);
  }
  expectToWait(await attempt({ username: 'ann', from: '10.7.7.7', headers: known }));
  expect((await attempt({ username: 'ann', password: testPassword, from: '10.8.8.8' })).status).toBe(200);

  await attackAccount('bea');
  expectToWait(await attempt({ username: 'bea', password: testPassword, from: '10.8.8.8', headers: known }));
});

test('after forty failures from one network, the whole network must wait, and no other', async () => {
  for (let index = 0; index < 40; index += 1) {
    const { status } = await attempt({ username: `guess${index}`, from: `10.1.1.${index + 1}` });
    expect(status).toBe(401);
  }
  expectToWait(await attempt({ username: 'ann', password: testPassword, from: '10.1.1.200' }));
  expect((await attempt({ username: 'ann', password: testPassword, from: '10.1.2.200' })).status).toBe(200);
});

test('thirty concurrent wrong attempts do not exceed the limit', async () => {
  const burst = Array.from({ length: 30 }, (_, index) => attempt({ username: 'ann', from: `10.0.${index}.1` }));
  const statuses = (await Promise.all(burst)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(10);
  expect(statuses.filter((status) => status === 429)).toHaveLength(20);
});

test('successful sign-ins do not count toward the limit', async () => {
  for (let index = 0; index < 15; index += 1) {
    expect((await attempt({ username: 'ann', password: testPassword, from: '10.2.2.2' })).status).toBe(200);
  }
});

test('an administrator can sign in again when the window has passed', async () => {
  await attackAccount('ann');
  await sql`update login_attempt set expire = (extract(epoch from now()) * 1000)::bigint - 1`.execute(db.owner);
  expect((await attempt({ username: 'ann', password: testPassword, from: '10.9.9.9' })).status).toBe(200);
});

test('X-Forwarded-For is ignored without a trusted proxy', async () => {
  await using direct = await testServer(db.url);
  for (let index = 0; index < 40; index += 1) {
    const body = { username: `guess${index}`, password: 'not the right phrase' };
    await direct.call('POST', '/api/admin/login', { body, headers: { 'x-forwarded-for': `10.3.${index}.1` } });
  }
  const body = { username: 'ann', password: testPassword };
  const next = await direct.call('POST', '/api/admin/login', { body, headers: { 'x-forwarded-for': '10.4.4.4' } });
  expect(next.status).toBe(429);
});

test('a wrong current password is throttled too', async () => {
  const token = await server.signIn('bea');
  const body = { currentPassword: 'not the right phrase', newPassword: 'another long phrase' };
  for (let index = 0; index < 10; index += 1) {
    expect((await server.call('POST', '/api/auth/password', { token, body })).status).toBe(422);
  }
  expectToWait(await server.call('POST', '/api/auth/password', { token, body }));
});

test('wrong passwords from many networks of one IPv6 site count together', async () => {
  for (const network of ['1', '2', '3']) await attempt({ username: 'guess', from: `2001:db8:7:${network}::1` });
  const counted = db.owner.selectFrom('loginAttempt').select('points').where('key', '=', 'site:2001:db8:7::/48');
  expect(await counted.executeTakeFirst()).toEqual({ points: 3 });
  await sql`update login_attempt set points = 160 where key = 'site:2001:db8:7::/48'`.execute(db.owner);
  expectToWait(await attempt({ username: 'ann', password: testPassword, from: '2001:db8:7:ffff::1' }));
  expect((await attempt({ username: 'ann', password: testPassword, from: '2001:db8:8:1::1' })).status).toBe(200);
});

test('a network at its limit is refused without a query', async () => {
  for (let index = 0; index < 40; index += 1) await attempt({ username: `guess${index}`, from: '10.5.5.5' });
  const statements = await statementsDuring(async () => {
    for (let index = 0; index < 5; index += 1) expectToWait(await attempt({ username: 'ann', from: '10.5.5.6' }));
  });
  expect(statements).toEqual([]);
});

test('a device cookie that this installation has not signed makes nobody known', async () => {
  const { headers } = await attempt({
    username: 'ann',
    password: testPassword,
    from: '10.7.7.7',
    headers: { origin: 'http://panel' },
  });
  const cookie = headers.getSetCookie().find((text) => text.startsWith('__Host-bursar-device=')) ?? '';
  const [device = ''] = cookie.split('.');
  await attackAccount('ann');
  const other = `${device}.${Buffer.alloc(32, 7).toString('base64url')}`;
  for (const forged of [device, `${device}.`, other]) {
    const known = { origin: 'http://panel', cookie: forged };
    expectToWait(await attempt({ username: 'ann', password: testPassword, from: '10.0.0.1', headers: known }));
  }
});
