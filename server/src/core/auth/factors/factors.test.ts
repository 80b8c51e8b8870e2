import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { codeOf, readKey } from '#server/core/testing/authenticator-app.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin, testPassword, testServer } from '#server/core/testing/server.ts';
import { endSessionsIn, startSessionsAgo } from '#server/core/testing/session.ts';
import { resetFactors } from './reset.ts';

const strict = { BURSAR_SECOND_FACTOR: 'required', BURSAR_STEP_UP_MINUTES: '5' };
// The server trusts X-Forwarded-For from this machine: a test that fails often comes from many networks.
const { db, server } = await testEnvironment({ BURSAR_TRUSTED_PROXIES: '127.0.0.1' });
const production = await testServer(db.url, strict);
afterAll(() => production[Symbol.asyncDispose]());

let added = 0;
async function someone(role: 'Admin' | 'SuperAdmin' = 'Admin') {
  added += 1;
  const admin = await addAdmin(db.database, { username: `someone${added}`, role });
  return { ...admin, token: await server.signIn(admin.username) };
}

const post = (path: string, { token, body }: { token?: string; body?: unknown } = {}, on = server) =>
  on.call('POST', path, { token, body });
const me = async (token: string) => (await server.call('GET', '/api/auth/me', { token })).status;
const signIn = (username: string, code?: string) =>
  post('/api/admin/login', { body: { username, password: testPassword, ...(code !== undefined && { code }) } });

async function withApp() {
  const admin = await someone();
  const started = await post('/api/security/app/start', { token: admin.token });
  const secret = readKey(String(started.json['secret']));
  const confirmed = await post('/api/security/app/confirm', {
    token: admin.token,
    body: { code: codeOf(secret, 0) },
  });
  expect(confirmed.status, confirmed.text).toBe(200);
  const { token, recoveryCodes } = confirmed.json as { token: string; recoveryCodes: string[] };
  return { ...admin, first: admin.token, token, secret, recoveryCodes };
}

test('after an app is set up, the password alone does not sign in, and every other session has ended', async () => {
  const { username, first, token, secret } = await withApp();
  expect([await me(first), await me(token)]).toEqual([401, 200]);
  expect(await signIn(username)).toMatchObject({ status: 403, json: { code: 'FactorRequired' } });
  expect(await signIn(username, '000000x')).toMatchObject({ status: 401, json: { code: 'CodeWrong' } });
  const signedIn = await signIn(username, codeOf(secret, 1));
  expect(signedIn.status).toBe(200);
  expect(await me(String(signedIn.json['token']))).toBe(200);
});

test('a wrong password with a right code is refused like any wrong password, and leaves the code usable', async () => {
  const { username, secret } = await withApp();
  const code = codeOf(secret, 1);
  const refused = await post('/api/admin/login', { body: { username, password: 'not the right phrase', code } });
  expect(refused).toMatchObject({ status: 401, json: { code: 'InvalidCredentials' } });
  expect((await signIn(username, code)).status).toBe(200);
});

test('a code is accepted once, also among fifty concurrent sign-ins', async () => {
  const { username, secret } = await withApp();
  const code = codeOf(secret, 1);
  await sql`delete from login_attempt`.execute(db.owner);
  const body = { username, password: testPassword, code };
  const signInFrom = (place: number) =>
    server.call('POST', '/api/admin/login', { body, headers: { 'x-forwarded-for': `10.1.${place}.1` } });
  const attempts = await Promise.all(Array.from({ length: 50 }, (_, place) => signInFrom(place)));
  expect(attempts.filter(({ status }) => status === 200)).toHaveLength(1);
  await sql`delete from login_attempt`.execute(db.owner);
  expect((await signIn(username, code)).json['code']).toBe('CodeWrong');
});

test('fifty concurrent proofs with the same code succeed once', async () => {
  const { id, token, secret } = await withApp();
  const body = { code: codeOf(secret, 1) };
  const proofs = await Promise.all(Array.from({ length: 50 }, () => post('/api/security/step-up', { token, body })));
  expect(proofs.filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await sql`select from session where admin_id = ${id}`.execute(db.owner)).rows).toHaveLength(1);
});

test('a recovery code signs in once, is stored as a hash, and is shown only when it is created', async () => {
  const { id, username, token, recoveryCodes } = await withApp();
  expect(recoveryCodes).toHaveLength(10);
  for (const code of recoveryCodes) expect(code).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
  const [code = ''] = recoveryCodes;
  const stored = await sql<{ row: string }>`select recovery_code::text as row from recovery_code`.execute(db.owner);
  expect(stored.rows.map(({ row }) => row).join()).not.toContain(code.replaceAll('-', ''));

  expect((await signIn(username, code.toUpperCase())).status).toBe(200);
  expect(await signIn(username, code)).toMatchObject({ status: 401, json: { code: 'CodeWrong' } });
  const { json } = await server.call('GET', '/api/security/factors', { token });
  expect(json['factors']).toEqual({
    appSince: expect.any(String),
    recoveryCodesLeft: 9,
    hasPasskey: false,
    required: false,
  });

  const renewed = await post('/api/security/recovery-codes', { token });
  expect(renewed.json['recoveryCodes']).toHaveLength(10);
  expect((await signIn(username, recoveryCodes[1])).json['code']).toBe('CodeWrong');
  expect(await sql`select from recovery_code where admin_id = ${id}`.execute(db.owner)).toMatchObject({
    rows: Array.from({ length: 10 }, () => ({})),
  });
});

test('the secret of an app is encrypted, and belongs to its administrator', async () => {
  const [one, other] = [await withApp(), await withApp()];
  const { rows } = await sql<{ sealed: Buffer }>`select sealed from totp_factor where admin_id = ${one.id}`.execute(
    db.owner,
  );
  expect(rows[0]?.sealed.includes(one.secret)).toBe(false);
  await sql`update totp_factor set sealed = ${rows[0]?.sealed}, last_step = 0 where admin_id = ${other.id}`.execute(
    db.owner,
  );
  expect((await signIn(other.username, codeOf(one.secret, 1))).json['code']).toBe('CodeWrong');
});

test('an app that was never confirmed changes nothing, and a second one cannot be started beside a working one', async () => {
  const { username, token } = await someone();
  expect((await post('/api/security/app/start', { token })).status).toBe(200);
  expect((await post('/api/security/app/start', { token })).status).toBe(200);
  expect((await post('/api/security/app/confirm', { token, body: { code: '12345' } })).json['code']).toBe('CodeWrong');
  expect((await signIn(username)).status).toBe(200);
  expect((await post('/api/security/recovery-codes', { token })).json['code']).toBe('NoFactor');
  const app = await withApp();
  expect((await post('/api/security/app/start', { token: app.token })).json['code']).toBe('AppActive');
});

test('removing the app needs a code, ends every other session, and lets the password sign in again', async () => {
  const { username, token, secret, recoveryCodes } = await withApp();
  const other = String((await signIn(username, recoveryCodes[0])).json['token']);
  const wrong = await post('/api/security/app/remove', { token, body: { code: '000000' } });
  expect(wrong).toMatchObject({ status: 422, json: { code: 'CodeWrong' } });
  const removed = await post('/api/security/app/remove', { token, body: { code: codeOf(secret, 1) } });
  expect(removed.status).toBe(200);
  expect([await me(token), await me(other), await me(String(removed.json['token']))]).toEqual([401, 401, 200]);
  expect((await signIn(username)).status).toBe(200);
});

test('a factor that a stolen database login deletes is still required, also after a change of the password', async () => {
  const { id, username, token } = await withApp();
  const newPassword = 'seven quiet otters at dawn';
  const changed = await post('/api/auth/password', {
    token,
    body: { currentPassword: testPassword, newPassword },
  });
  expect(changed.status, changed.text).toBe(200);
  await sql`delete from totp_factor where admin_id = ${id}`.execute(db.database);
  await sql`delete from recovery_code where admin_id = ${id}`.execute(db.database);
  const body = { username, password: newPassword };
  expect(await post('/api/admin/login', { body })).toMatchObject({ status: 403, json: { code: 'FactorRequired' } });
  const guessed = await post('/api/admin/login', { body: { ...body, code: '000000' } });
  expect(guessed).toMatchObject({ status: 401, json: { code: 'CodeWrong' } });
  const steppedUp = await post('/api/security/step-up', {
    token: String(changed.json['token']),
    body: { password: newPassword },
  });
  expect(steppedUp.json['code']).toBe('FactorRequired');

  await db.database.transaction().execute((tx) => resetFactors(tx, { actorId: null, adminId: id }));
  expect((await post('/api/admin/login', { body })).status).toBe(200);
});

test('wrong codes are throttled and audited', async () => {
  const { id, token } = await withApp();
  const tries: number[] = [];
  for (let index = 0; index < 11; index += 1) {
    tries.push((await post('/api/security/step-up', { token, body: { code: '1' } })).status);
  }
  expect(tries).toEqual([...Array.from({ length: 10 }, () => 422), 429]);
  const { rows } = await sql`select from audit_entry
    where actor_id = ${id} and action = 'auth.verification-refused'`.execute(db.owner);
  expect(rows).toHaveLength(10);
});

const fund = (token: string) =>
  post(
    '/api/approvals/0198c0de-0000-7000-8000-000000000001/decide',
    { token, body: { decision: 'approve', digest: 'x' } },
    production,
  );

test('where a second factor is required, money actions without one are refused', async () => {
  const { token } = await someone();
  expect(await fund(token)).toMatchObject({ status: 403, json: { code: 'MfaRequired' } });
  const app = await withApp();
  expect((await fund(app.token)).json['code']).not.toBe('MfaRequired');
});

test('an action that needs a recent proof is refused after five minutes, until the caller proves it again', async () => {
  const { id, token } = await someone('SuperAdmin');
  const start = (as: string) => post('/api/security/app/start', { token: as }, production);
  expect((await start(token)).status).toBe(200);
  await startSessionsAgo(db.owner, id, 290_000);
  expect((await start(token)).status).toBe(200);
  await startSessionsAgo(db.owner, id, 301_000);
  expect(await start(token)).toMatchObject({ status: 403, json: { code: 'StepUpRequired' } });

  const stepUp = (body: object) => post('/api/security/step-up', { token, body }, production);
  expect(await stepUp({ password: 'not the right phrase' })).toMatchObject({
    status: 422,
    json: { code: 'PasswordWrong' },
  });
  expect((await stepUp({})).status).toBe(400);
  expect((await stepUp({ password: testPassword, code: '000000' })).status).toBe(400);
  expect((await start(token)).json['code']).toBe('StepUpRequired');
  const renewed = String((await stepUp({ password: testPassword })).json['token']);
  expect([await me(token), await me(renewed)]).toEqual([401, 200]);
  expect((await start(renewed)).status).toBe(200);
});

test('proving it again does not extend the absolute end of the session', async () => {
  const { id, token } = await someone();
  await endSessionsIn(db.owner, id, 600_000);
  const { json } = await post('/api/security/step-up', { token, body: { password: testPassword } });
  const account = await server.call('GET', '/api/auth/me', { token: String(json['token']) });
  const endsInMs = Date.parse(String((account.json['me'] as { sessionEndsAt: string }).sessionEndsAt)) - Date.now();
  expect(endsInMs).toBeLessThanOrEqual(600_000);
  expect(endsInMs).toBeGreaterThan(500_000);
});

test('the password of an account with a second factor is no step-up, and a new one needs a recent code', async () => {
  const { id, token, secret } = await withApp();
  const byPassword = await post('/api/security/step-up', { token, body: { password: testPassword } });
  expect(byPassword).toMatchObject({ status: 403, json: { code: 'FactorRequired' } });
  await startSessionsAgo(db.owner, id, 301_000);
  await endSessionsIn(db.owner, id, 600_000);
  const body = { currentPassword: testPassword, newPassword: 'nine quiet wooden boats' };
  const change = (as: string) => post('/api/auth/password', { token: as, body }, production);
  expect(await change(token)).toMatchObject({ status: 403, json: { code: 'StepUpRequired' } });
  const byCode = await post('/api/security/step-up', { token, body: { code: codeOf(secret, 1) } });
  const changed = await change(String(byCode.json['token']));
  expect(changed.status, changed.text).toBe(200);
  const account = await server.call('GET', '/api/auth/me', { token: String(changed.json['token']) });
  const endsInMs = Date.parse(String((account.json['me'] as { sessionEndsAt: string }).sessionEndsAt)) - Date.now();
  expect(endsInMs).toBeLessThanOrEqual(600_000);
});

test('a session that is ended while its step-up waits does not live on in a new one', async () => {
  const { id, token } = await someone();
  const waiting = await db.owner.transaction().execute(async (tx) => {
    await sql`select from admin_credential where admin_id = ${id} for update`.execute(tx);
    await sql`select from admin where id = ${id} for update`.execute(tx);
    const pending = post('/api/security/step-up', { token, body: { password: testPassword } });
    await wait(500);
    await sql`delete from session where admin_id = ${id}`.execute(tx);
    return { pending };
  });
  expect(await waiting.pending).toMatchObject({ status: 401, json: { code: 'SignInRequired' } });
  const left = await db.owner.selectFrom('session').select('id').where('adminId', '=', id).execute();
  expect(left).toEqual([]);
});
