import { dictionary } from '@zxcvbn-ts/language-common';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin, testPassword } from '#server/core/testing/server.ts';
import { isTooCommon } from './passwords.ts';

const { db, server } = await testEnvironment();

const ownPassword = 'my own quiet phrase';

let added = 0;
async function newcomer() {
  added += 1;
  const newAdmin = { username: `newcomer${added}`, temporary: true, realHash: true };
  const { id, username } = await addAdmin(db.database, newAdmin);
  return { id, username, token: await server.signIn(username) };
}

const change = (token: string, newPassword: string, currentPassword = testPassword) =>
  server.call('POST', '/api/auth/password', { token, body: { currentPassword, newPassword } });

test('an administrator with a temporary password can only read their account, change the password and sign out', async () => {
  const { token } = await newcomer();
  const closed = [
    ['GET', '/api/admin/all'],
    ['GET', '/api/tickets/all'],
    ['POST', '/api/tickets', { type: 'Hello', description: 'There' }],
    ['GET', '/api/events'],
  ] as const;
  for (const [method, path, body] of closed) {
    const { status, json } = await server.call(method, path, { token, body });
    expect(status).toBe(403);
    expect(json['code']).toBe('PasswordChangeRequired');
    expect(json['error']).toBe('Choose a password of your own first.');
  }
  const { json } = await server.call('GET', '/api/auth/me', { token });
  expect(json['me']).toMatchObject({ mustChangePassword: true });
  expect((await server.call('POST', '/api/auth/logout', { token })).status).toBe(200);
});

test('a temporary password expires after 72 hours, and only someone who knows it learns that', async () => {
  const { id, username, token } = await newcomer();
  const signIn = (password: string) => server.call('POST', '/api/admin/login', { body: { username, password } });
  const setAge = (age: string) =>
    sql`update admin_credential set changed_at = now() - ${age}::interval where admin_id = ${id}`.execute(db.owner);
  await setAge('71 hours 59 minutes');
  expect((await signIn(testPassword)).status).toBe(200);

  await setAge('72 hours 1 minute');
  for (const { status, json } of [await signIn(testPassword), await change(token, ownPassword)]) {
    expect(status).toBe(403);
    expect(json['code']).toBe('TemporaryPasswordExpired');
    expect(json['error']).toBe('Your temporary password has expired. Ask a Super Admin to recover your account.');
  }
  expect((await signIn('not the right phrase')).json['code']).toBe('InvalidCredentials');
  const [last] = await db.owner
    .selectFrom('auditEntry')
    .select(['action', 'actorId'])
    .orderBy('seq', 'desc')
    .offset(1)
    .limit(1)
    .execute();
  expect(last).toEqual({ action: 'auth.sign-in-refused', actorId: id });

  await sql`update admin_credential set temporary = false where admin_id = ${id}`.execute(db.owner);
  expect((await signIn(testPassword)).status).toBe(200);
});

test('changing a temporary password returns a token with full access and invalidates the old tokens and password', async () => {
  const { username, token } = await newcomer();
  const elsewhere = await server.signIn(username);
  const { status, json } = await change(token, ownPassword);
  expect(status).toBe(200);
  const fresh = String(json['token']);
  expect(fresh).not.toBe(token);

  const list = (using: string) => server.call('GET', '/api/tickets/all', { token: using });
  expect((await list(fresh)).status).toBe(200);
  expect((await list(token)).status).toBe(401);
  expect((await list(elsewhere)).status).toBe(401);

  const signIn = (password: string) => server.call('POST', '/api/admin/login', { body: { username, password } });
  expect((await signIn(testPassword)).status).toBe(401);
  const again = await signIn(ownPassword);
  expect((await list(String(again.json['token']))).status).toBe(200);
});

test('a browser that changes its password gets a new cookie with the new token', async () => {
  const { username } = await newcomer();
  const origin = { origin: server.address };
  const cookieOf = ({ headers }: { headers: Headers }) =>
    headers
      .getSetCookie()
      .find((one) => one.startsWith('__Host-bursar='))
      ?.split(';')[0] ?? '';
  const signedIn = await server.call('POST', '/api/admin/login', {
    body: { username, password: testPassword },
    headers: origin,
  });
  const old = { token: String(signedIn.json['token']), cookie: cookieOf(signedIn) };
  const changed = await server.call('POST', '/api/auth/password', {
    token: old.token,
    headers: { ...origin, cookie: old.cookie },
    body: { currentPassword: testPassword, newPassword: ownPassword },
  });
  const me = (token: string, cookie: string) => server.call('GET', '/api/auth/me', { token, headers: { cookie } });
  const fresh = { token: String(changed.json['token']), cookie: cookieOf(changed) };
  expect((await me(fresh.token, fresh.cookie)).status).toBe(200);
  expect((await me(fresh.token, old.cookie)).status).toBe(401);
  expect((await me(old.token, old.cookie)).status).toBe(401);
});

test.each([
  { what: 'too short', newPassword: 'eleven char', expected: 400, code: 'InvalidRequest' },
  { what: 'too long', newPassword: 'long phrase '.repeat(11), expected: 400, code: 'InvalidRequest' },
  { what: 'common', newPassword: 'Password12345!', expected: 422, code: 'PasswordTooCommon' },
  { what: 'a common word with digits', newPassword: 'princess12345', expected: 422, code: 'PasswordTooCommon' },
  { what: 'a common word in symbols', newPassword: 'P@ssw0rd12345', expected: 422, code: 'PasswordTooCommon' },
  { what: 'a keyboard pattern', newPassword: 'qwertyuiop123', expected: 422, code: 'PasswordTooCommon' },
  { what: 'made of product words', newPassword: 'Bursar-Staking-2026', expected: 422, code: 'PasswordTooCommon' },
  { what: 'four repeated characters', newPassword: 'abcdabcdabcd', expected: 422, code: 'PasswordTooCommon' },
  { what: 'unchanged', newPassword: testPassword, expected: 422, code: 'PasswordUnchanged' },
])('a new password that is $what is refused', async ({ newPassword, expected, code }) => {
  const { token } = await newcomer();
  const { status, json } = await change(token, newPassword);
  expect(status).toBe(expected);
  expect(json['code']).toBe(code);
  expect(JSON.stringify(json)).not.toContain(newPassword);
  expect((await server.call('GET', '/api/auth/me', { token })).status).toBe(200);
});

test('a password that contains the username is refused', async () => {
  const { username, token } = await newcomer();
  const { json } = await change(token, `so ${username.toUpperCase()} it is`);
  expect(json['code']).toBe('PasswordTooCommon');
});

test('the current password must be right', async () => {
  const { token } = await newcomer();
  const { status, json } = await change(token, ownPassword, 'not the right phrase');
  expect(status).toBe(422);
  expect(json['code']).toBe('CurrentPasswordWrong');
});

test.each([
  'correct horse in a field',
  'twelve chars',
  'Grüße aus Köln',
  '四つの目が見ている夜の十二文字',
  'k7Qz2mWp9xLd',
  '4839201745-kite-map',
  'princess of a quiet pond',
])('"%s" is not too common', (password) => {
  expect(isTooCommon(password, 'ann.smith')).toBe(false);
});

test.each([
  'PASSWORDpassword',
  '1234-5678-9012',
  '2026 1234 5678',
  '1234567890123',
  '193570356033',
  'admin.admin.admin.1',
  'my ann.smith 99',
  'MICHAEL-19847',
  '!!!Monkey!!!99',
  'Liverpool1234',
  'p@$$w0rd-2026',
  'princes$12345',
  '1L0vey0u2024!',
  'pass-word-12345',
  'trustno1trustno1',
  'Ｐassword12345',
  'Burs4r-St4king-2026',
  'correct horse battery staple',
  'qwertyuiopasdf',
])('"%s" is too common', (password) => {
  expect(isTooCommon(password, 'ann.smith')).toBe(true);
});

test('every password of the list is refused, and so is one with letters in capitals and with digits behind it', () => {
  const list = dictionary['passwords-common'];
  expect(list.length).toBeGreaterThan(10_000);
  const withLetters = list.filter((password) => /[a-z]/.test(password));
  const variants = [...list, ...withLetters.map((password) => `${password.toUpperCase()}2026!`)];
  expect(variants.filter((password) => !isTooCommon(password, 'ann.smith'))).toEqual([]);
});

test('a sign-in with the old password during its change leaves no valid session', async () => {
  for (let round = 0; round < 6; round += 1) {
    const { username, token } = await newcomer();
    const intrude = async () => {
      const { json } = await server.call('POST', '/api/admin/login', { body: { username, password: testPassword } });
      return json['token'];
    };
    const [changed, ...stolen] = await Promise.all([change(token, ownPassword), intrude(), intrude(), intrude()]);
    expect(changed.status).toBe(200);
    for (const intruder of stolen.filter((one) => typeof one === 'string')) {
      expect((await server.call('GET', '/api/auth/me', { token: intruder })).status).toBe(401);
    }
  }
});

test('two concurrent changes with the same old password: one succeeds, the other is refused', async () => {
  const { token } = await newcomer();
  const answers = await Promise.all([change(token, ownPassword), change(token, 'another quiet phrase')]);
  expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '401']);
});
