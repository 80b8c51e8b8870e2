import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin, testPassword } from '#server/core/testing/server.ts';
import { openPasswordHash } from './credentials.ts';

const { db, server } = await testEnvironment();

const browser = { origin: server.address };

function tryPassword(username: string, password: string, headers: Record<string, string> = {}) {
  return server.call('POST', '/api/admin/login', { body: { username, password }, headers });
}

/** Keeps the throttle out of tests that are not about it. */
const forgetFailures = () => sql`delete from login_attempt`.execute(db.owner);

const cookiesOf = ({ headers }: { headers: Headers }) => headers.getSetCookie();
const valueOf = (cookies: string[], name: string) =>
  cookies.find((cookie) => cookie.startsWith(`${name}=`))?.split(';')[0] ?? '';

await addAdmin(db.database, { username: 'ann', realHash: true });
await addAdmin(db.database, { username: 'root', role: 'SuperAdmin', realHash: true });

test('the right password returns a token and nothing else', async () => {
  const { status, json } = await tryPassword('ann', testPassword);
  expect(status).toBe(200);
  expect(json).toEqual({ token: expect.stringMatching(/^[\w-]{43}$/) });
});

test('usernames are case-insensitive', async () => {
  expect((await tryPassword('ANN', testPassword)).status).toBe(200);
});

test('a wrong password, an unknown username and a deleted administrator get the same response', async () => {
  await addAdmin(db.database, { username: 'gone', permissionSet: 'Support', realHash: true });
  const token = await server.signIn('root');
  expect((await server.call('POST', '/api/admin/delete', { token, body: { username: 'gone' } })).status).toBe(200);

  const refused = [
    await tryPassword('ann', 'not the right phrase'),
    await tryPassword('nobody', testPassword),
    await tryPassword('gone', testPassword),
  ];
  for (const { status, json, headers } of refused) {
    const { reference, ...problem } = json;
    expect(reference).toMatch(/^[\da-f-]{36}$/);
    expect(problem).toEqual({
      type: 'urn:bursar:problem:InvalidCredentials',
      title: 'Invalid username or password.',
      status: 401,
      code: 'InvalidCredentials',
      error: 'Invalid username or password.',
    });
    expect(status).toBe(401);
    expect(headers.getSetCookie()).toEqual([]);
  }
});

test('the response time does not reveal whether a username exists', async () => {
  const spent = { unknown: [] as number[], wrong: [] as number[] };
  for (let round = 0; round < 15; round += 1) {
    await forgetFailures();
    for (const [kind, username] of [
      ['unknown', `nobody${round}`],
      ['wrong', 'ann'],
    ] as const) {
      const started = performance.now();
      await tryPassword(username, 'not the right phrase');
      spent[kind].push(performance.now() - started);
    }
  }
  // Other load on the machine disturbs the fastest rounds the least.
  const level = (times: number[]) =>
    times
      .toSorted((a, b) => a - b)
      .slice(1, 6)
      .reduce((sum, ms) => sum + ms, 0);
  const ratio = level(spent.unknown) / level(spent.wrong);
  expect(ratio).toBeGreaterThan(0.6);
  expect(ratio).toBeLessThan(1.7);
  await forgetFailures();
});

test('a browser gets cookies that scripts and other sites cannot use', async () => {
  const cookies = cookiesOf(await tryPassword('ann', testPassword, browser));
  for (const name of ['__Host-bursar', '__Host-bursar-device']) {
    const cookie = cookies.find((text) => text.startsWith(`${name}=`)) ?? '';
    expect(cookie).toContain('; HttpOnly');
    expect(cookie).toContain('; Secure');
    expect(cookie).toContain('; SameSite=Strict');
    expect(cookie).toContain('; Path=/');
    expect(cookie).not.toContain('Domain');
  }
  const session = cookies.find((text) => text.startsWith('__Host-bursar=')) ?? '';
  expect(session).not.toMatch(/max-age|expires/i);
});

test('a browser’s token does not work without its cookie, nor the cookie without the token', async () => {
  const mine = await tryPassword('ann', testPassword, browser);
  const token = String(mine.json['token']);
  const cookie = valueOf(cookiesOf(mine), '__Host-bursar');
  const other = await tryPassword('ann', testPassword, browser);
  const otherCookie = valueOf(cookiesOf(other), '__Host-bursar');
  const me = async (credentials: { token?: string; cookie?: string }) => {
    const headers: Record<string, string> = credentials.cookie ? { cookie: credentials.cookie } : {};
    return (await server.call('GET', '/api/auth/me', { token: credentials.token, headers })).status;
  };

  expect(await me({ token })).toBe(401);
  expect(await me({ cookie })).toBe(401);
  expect(await me({ token, cookie: otherCookie })).toBe(401);
  expect(await me({ token, cookie: '__Host-bursar=' })).toBe(401);
  expect(await me({ token, cookie })).toBe(200);
});

test.each([{ origin: 'http://127.0.0.1' }, { 'sec-fetch-site': 'same-origin' }])(
  'a client that sends these headers is treated as a browser: %o',
  async (headers) => {
    expect(valueOf(cookiesOf(await tryPassword('ann', testPassword, headers)), '__Host-bursar')).not.toBe('');
  },
);

test('a client that is not a browser gets no cookie and needs none', async () => {
  const answer = await tryPassword('ann', testPassword);
  expect(cookiesOf(answer)).toEqual([]);
  const me = await server.call('GET', '/api/auth/me', { token: String(answer.json['token']) });
  expect(me.status).toBe(200);
});

test('tokens and cookies are stored neither as they are nor as a plain digest', async () => {
  const answer = await tryPassword('ann', testPassword, browser);
  const token = String(answer.json['token']);
  const secrets = [
    token,
    ...['__Host-bursar', '__Host-bursar-device'].map((name) => valueOf(cookiesOf(answer), name).split(/[=.]/)[1] ?? ''),
  ];
  const rows = await sql<{ row: string }>`
    select session::text as row from session union all
    select known_device::text from known_device union all
    select login_attempt::text from login_attempt union all
    select audit_entry::text from audit_entry`.execute(db.owner);
  const stored = rows.rows.map(({ row }) => row).join('\n');
  for (const secret of secrets) {
    expect(secret.length).toBe(43);
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(Buffer.from(secret).toString('hex'));
    expect(stored).not.toContain(createHash('sha256').update(secret).digest('hex'));
  }
});

test('a password is stored as an encrypted argon2id hash with the documented cost', async () => {
  const rows = await db.owner.selectFrom('adminCredential').select(['adminId as id', 'passwordHash']).execute();
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) expect(openPasswordHash(row)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test.each([
  ['an empty username', { username: '', password: 'x' }],
  ['no password', { username: 'ann' }],
  ['a password that is too long', { username: 'ann', password: 'x'.repeat(129) }],
  ['an unknown field', { username: 'ann', password: testPassword, role: 'SuperAdmin' }],
  ['a password that is not a string', { username: 'ann', password: { $ne: null } }],
])('%s is an invalid request', async (_what, body) => {
  const { status, json } = await server.call('POST', '/api/admin/login', { body });
  expect(status).toBe(400);
  expect(json['code']).toBe('InvalidRequest');
});

test.each(['bearer', 'BEARER', 'bEaReR'])('a token is accepted with the scheme %s', async (scheme) => {
  const authorization = `${scheme} ${await server.signIn('ann')}`;
  expect((await server.call('GET', '/api/auth/me', { headers: { authorization } })).status).toBe(200);
});

test.each(['', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearer garbage', `Bearer ${'x'.repeat(4_000)}`])(
  'the authorization header "%.20s" is refused',
  async (authorization) => {
    const { status, json } = await server.call('GET', '/api/auth/me', { headers: { authorization } });
    expect(status).toBe(401);
    expect(json['code']).toBe('SignInRequired');
  },
);

test('the account of the caller is returned without secrets', async () => {
  const token = await server.signIn('ann');
  const { json } = await server.call('GET', '/api/auth/me', { token });
  expect(json).toEqual({
    me: {
      id: expect.any(String),
      username: 'ann',
      role: 'Admin',
      permissionSet: null,
      mustChangePassword: false,
      sessionEndsAt: expect.stringMatching(/^\d{4}-.*Z$/),
    },
  });
});
