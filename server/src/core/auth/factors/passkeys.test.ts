import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { codeOf, readKey } from '#server/core/testing/authenticator-app.ts';
import { createAuthenticator } from '#server/core/testing/authenticator.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin, testPassword } from '#server/core/testing/server.ts';

// The server trusts X-Forwarded-For from this machine: a test that fails often comes from many networks.
const { db, server } = await testEnvironment({ BURSAR_TRUSTED_PROXIES: '127.0.0.1' });

const post = (path: string, { token, body }: { token?: string; body?: unknown } = {}) =>
  server.call('POST', path, { token, body });
const me = async (token: string) => (await server.call('GET', '/api/auth/me', { token })).status;

let added = 0;
async function someone() {
  added += 1;
  const admin = await addAdmin(db.database, { username: `holder${added}` });
  return { ...admin, token: await server.signIn(admin.username) };
}

const challengeOf = async (path: string, token?: string) =>
  String((await post(path, token === undefined ? {} : { token })).json['challenge']);

const register = async (token: string, authenticator: ReturnType<typeof createAuthenticator>) => {
  const challenge = await challengeOf('/api/security/passkeys/challenge', token);
  const body = { name: 'Laptop', ...authenticator.register(challenge) };
  return post('/api/security/passkeys', { token, body });
};

async function holder() {
  const admin = await someone();
  const authenticator = createAuthenticator();
  const answer = await register(admin.token, authenticator);
  expect(answer.status, answer.text).toBe(200);
  const { token, recoveryCodes } = answer.json as { token: string; recoveryCodes: string[] };
  return { ...admin, first: admin.token, token, authenticator, recoveryCodes };
}

const loginChallenge = () => challengeOf('/api/admin/login/passkey/challenge');
const signInFrom = (assertion: object, place: number) =>
  server.call('POST', '/api/admin/login/passkey', {
    body: { assertion },
    headers: { 'x-forwarded-for': `10.1.${place}.1` },
  });
const signIn = (assertion: object) => post('/api/admin/login/passkey', { body: { assertion } });

test('a passkey is added, ends all other sessions, and signs in without a password', async () => {
  const { id, first, token, authenticator, recoveryCodes } = await holder();
  expect(recoveryCodes).toHaveLength(10);
  expect([await me(first), await me(token)]).toEqual([401, 200]);
  const { json } = await server.call('GET', '/api/security/passkeys', { token });
  expect(json['passkeys']).toMatchObject([
    { name: 'Laptop', credentialId: authenticator.credentialId, domain: 'bursar.example', lastUsedAt: null },
  ]);
  const signedIn = await signIn(authenticator.sign(await loginChallenge()));
  expect(signedIn.status, signedIn.text).toBe(200);
  const { rows } = await sql<{ factor: string }>`select factor from session where admin_id = ${id}`.execute(db.owner);
  expect(rows.map(({ factor }) => factor)).toEqual(['passkey', 'passkey']);
});

test('the password alone does not sign in an account with a passkey; a recovery code with it does', async () => {
  const { username, recoveryCodes } = await holder();
  const login = (code?: string) =>
    post('/api/admin/login', { body: { username, password: testPassword, ...(code !== undefined && { code }) } });
  expect((await login()).json['code']).toBe('FactorRequired');
  expect((await login(recoveryCodes[0])).status).toBe(200);
});

test('a signature is accepted once, also among fifty concurrent sign-ins', async () => {
  const { authenticator } = await holder();
  const assertion = authenticator.sign(await loginChallenge());
  await sql`delete from login_attempt`.execute(db.owner);
  const attempts = await Promise.all(Array.from({ length: 50 }, (_, place) => signInFrom(assertion, place)));
  expect(attempts.filter(({ status }) => status === 200)).toHaveLength(1);
  await sql`delete from login_attempt`.execute(db.owner);
});

test('a signature of another page, passkey or challenge, or without a verified user, is refused', async () => {
  const { authenticator, token } = await holder();
  const stranger = createAuthenticator();
  const right = authenticator.sign(await loginChallenge());
  const foreign = {
    'an unknown passkey': stranger.sign(await loginChallenge()),
    'another key': { ...stranger.sign(await loginChallenge()), credentialId: authenticator.credentialId },
    'a challenge of somebody else': authenticator.sign(Buffer.alloc(56).toString('base64url')),
    'a challenge for another purpose': authenticator.sign(await challengeOf('/api/security/passkeys/challenge', token)),
    'another signature': { ...right, signature: stranger.sign(await loginChallenge()).signature },
  };
  for (const [what, assertion] of Object.entries(foreign)) {
    await sql`delete from login_attempt`.execute(db.owner);
    expect((await signIn(assertion)).status, what).toBe(401);
  }
  expect((await signIn(right)).status).toBe(200);

  const phished = createAuthenticator({ rpId: 'bursar.example', origin: 'https://bursar.example.evil' });
  expect((await register(token, phished)).json['code']).toBe('PasskeyRefused');
  const careless = createAuthenticator({ verifiesUser: false });
  expect((await register(token, careless)).json['code']).toBe('PasskeyRefused');
  const insecure = createAuthenticator({ origin: 'http://bursar.example' });
  expect((await register(token, insecure)).json['code']).toBe('PasskeyRefused');
});

test('a challenge for a new passkey belongs to one account and is answered once', async () => {
  const [one, other] = [await someone(), await someone()];
  const challenge = await challengeOf('/api/security/passkeys/challenge', one.token);
  const body = { name: 'Laptop', ...createAuthenticator().register(challenge) };
  expect((await post('/api/security/passkeys', { token: other.token, body })).status).toBe(422);
  const mine = await post('/api/security/passkeys', { token: one.token, body });
  expect(mine.status).toBe(200);
  const next = { name: 'Phone', ...createAuthenticator().register(challenge) };
  expect((await post('/api/security/passkeys', { token: String(mine.json['token']), body: next })).status).toBe(422);
});

test('a passkey is removed with a code, then signs in no more, and stays in the database', async () => {
  const { id, token, username, authenticator, recoveryCodes } = await holder();
  const { json } = await server.call('GET', '/api/security/passkeys', { token });
  const [passkey] = json['passkeys'] as { id: string }[];
  const remove = (code: string | undefined) =>
    post(`/api/security/passkeys/${passkey?.id}/remove`, { token, body: { code } });
  expect((await remove('000000')).json['code']).toBe('CodeWrong');
  const removed = await remove(recoveryCodes[3]);
  expect(removed.status, removed.text).toBe(200);
  expect([await me(token), await me(String(removed.json['token']))]).toEqual([401, 200]);
  expect((await signIn(authenticator.sign(await loginChallenge()))).status).toBe(401);
  expect((await post('/api/admin/login', { body: { username, password: testPassword } })).status).toBe(200);
  const change = sql`update passkey set removed_at = null where admin_id = ${id}`;
  await expect(change.execute(db.owner)).rejects.toThrow('cannot be changed');
  await expect(sql`delete from passkey where admin_id = ${id}`.execute(db.owner)).rejects.toThrow('append-only');
});

test('with a passkey, the password alone signs nobody in after the app is removed and all codes are used', async () => {
  const { id, username, token, recoveryCodes } = await holder();
  const started = await post('/api/security/app/start', { token });
  const code = codeOf(readKey(String(started.json['secret'])), 0);
  const confirmed = await post('/api/security/app/confirm', { token, body: { code } });
  const [next = ''] = confirmed.json['recoveryCodes'] as string[];
  expect(recoveryCodes).not.toContain(next);
  const body = { code: next };
  const removed = await post('/api/security/app/remove', { token: String(confirmed.json['token']), body });
  expect(removed.status, removed.text).toBe(200);
  const withPassword = async () =>
    (await post('/api/admin/login', { body: { username, password: testPassword } })).json['code'];
  expect(await withPassword()).toBe('FactorRequired');
  await sql`delete from recovery_code where admin_id = ${id}`.execute(db.owner);
  expect(await withPassword()).toBe('FactorRequired');
});

test('a passkey that was moved to another administrator in SQL signs nobody in', async () => {
  const victim = await someone();
  const { id, authenticator } = await holder();
  await db.owner.transaction().execute(async (tx) => {
    await sql`alter table passkey disable trigger user`.execute(tx);
    await sql`update passkey set admin_id = ${victim.id} where admin_id = ${id}`.execute(tx);
    await sql`alter table passkey enable trigger user`.execute(tx);
  });
  expect((await signIn(authenticator.sign(await loginChallenge()))).json['code']).toBe('PasskeyRefused');
});

test('a passkey of one’s own is a step-up, once, and makes a browser that signs in with it a known device', async () => {
  const { token, authenticator } = await holder();
  const stranger = await holder();
  const stepUp = async (as: string, assertion: object) =>
    post('/api/security/step-up', { token: as, body: { assertion } });
  const foreign = await stepUp(token, stranger.authenticator.sign(await loginChallenge()));
  expect(foreign).toMatchObject({ status: 422, json: { code: 'PasskeyRefused' } });
  const assertion = authenticator.sign(await loginChallenge());
  const renewed = await stepUp(token, assertion);
  expect(renewed.status, renewed.text).toBe(200);
  const again = await stepUp(String(renewed.json['token']), assertion);
  expect(again.json['code']).toBe('PasskeyRefused');
  const signedIn = await server.call('POST', '/api/admin/login/passkey', {
    body: { assertion: authenticator.sign(await loginChallenge()) },
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  expect(signedIn.headers.getSetCookie().some((text) => text.startsWith('__Host-bursar-device='))).toBe(true);
});
