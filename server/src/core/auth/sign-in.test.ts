import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin, testPassword } from '#server/core/testing/server.ts';

const { db, server } = await testEnvironment();

const browser = { origin: server.address };

function tryPassword(username: string, password: string, headers: Record<string, string> = {}) {
  return server.call('POST', '/api/admin/login', { body: { username, password }, headers });
}

/** Every test but one is about something other than the throttle. */
const forgetFailures = () => sql`delete from login_attempt`.execute(db.owner);

const cookiesOf = ({ headers }: { headers: Headers }) => headers.getSetCookie();
const valueOf = (cookies: string[], name: string) =>
  cookies.find((cookie) => cookie.startsWith(`${name}=`))?.split(';')[0] ?? '';

await addAdmin(db.database, { username: 'ann', realHash: true });
await addAdmin(db.database, { username: 'root', role: 'SuperAdmin', realHash: true });

test('the right password answers a token and nothing else', async () => {
  const { status, json } = await tryPassword('ann', testPassword);
  expect(status).toBe(200);
  expect(json).toEqual({ token: expect.stringMatching(/^[\w-]{43}$/) });
});

test('a username is the same however it is capitalised', async () => {
  expect((await tryPassword('ANN', testPassword)).status).toBe(200);
});

test('wrong, unknown and retired are told the same', async () => {
  await addAdmin(db.database, { username: 'gone', realHash: true });
  const token = await server.signIn('root');
  expect((await server.call('POST', '/api/admin/delete', { token, body: { username: 'gone' } })).status).toBe(200);

  const refused = [
    await tryPassword('ann', 'not the right phrase'),
    await tryPassword('nobody', testPassword),
    await tryPassword('gone', testPassword),
  ];
  for (const { status, json, headers } of refused) {
    const { reference, ...told } = json;
    expect(reference).toMatch(/^[\da-f-]{36}$/);
    expect(told).toEqual({
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

test('time does not tell whether a username exists', async () => {
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
  // The fastest rounds are those that nothing else on the machine disturbed.
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

test('a browser gets a cookie that no script and no other site can have', async () => {
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

test('the token of a browser is worth nothing without its cookie, and the cookie nothing without its token', async () => {
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
  'whatever shows these headers is a browser: %o',
  async (headers) => {
    expect(valueOf(cookiesOf(await tryPassword('ann', testPassword, headers)), '__Host-bursar')).not.toBe('');
  },
);

test('a client that is no browser gets no cookie and needs none', async () => {
  const answer = await tryPassword('ann', testPassword);
  expect(cookiesOf(answer)).toEqual([]);
  const me = await server.call('GET', '/api/auth/me', { token: String(answer.json['token']) });
  expect(me.status).toBe(200);
});

test('neither token nor cookie is stored, only their SHA-256', async () => {
  const answer = await tryPassword('ann', testPassword, browser);
  const token = String(answer.json['token']);
  const secrets = [
    token,
    ...['__Host-bursar', '__Host-bursar-device'].map((name) => valueOf(cookiesOf(answer), name).split('=')[1] ?? ''),
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
    expect(stored).toContain(createHash('sha256').update(secret).digest('hex'));
  }
});

test('a password is stored as argon2id with the agreed cost', async () => {
  const rows = await db.owner.selectFrom('adminCredential').select('passwordHash').execute();
  expect(rows.length).toBeGreaterThan(0);
  for (const { passwordHash } of rows) expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test.each([
  ['an empty username', { username: '', password: 'x' }],
  ['no password', { username: 'ann' }],
  ['a password beyond any allowed', { username: 'ann', password: 'x'.repeat(129) }],
  ['one field too many', { username: 'ann', password: testPassword, role: 'SuperAdmin' }],
  ['a password that is no text', { username: 'ann', password: { $ne: null } }],
])('%s is not understood', async (_what, body) => {
  const { status, json } = await server.call('POST', '/api/admin/login', { body });
  expect(status).toBe(400);
  expect(json['code']).toBe('InvalidRequest');
});

test.each(['bearer', 'BEARER', 'bEaReR'])('a token is taken after %s as well', async (scheme) => {
  const authorization = `${scheme} ${await server.signIn('ann')}`;
  expect((await server.call('GET', '/api/auth/me', { headers: { authorization } })).status).toBe(200);
});

test.each(['', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearer garbage', `Bearer ${'x'.repeat(4_000)}`])(
  'the header "%.20s" opens nothing',
  async (authorization) => {
    const { status, json } = await server.call('GET', '/api/auth/me', { headers: { authorization } });
    expect(status).toBe(401);
    expect(json['code']).toBe('SignInRequired');
  },
);

test('who is signed in is told without anything secret', async () => {
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
