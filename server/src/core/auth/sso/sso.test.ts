import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { renewRecoveryCodes, sealTotp } from '#server/core/auth/factors/codes.ts';
import { confirmTotp, upsertUnconfirmedTotp } from '#server/core/auth/factors/queries.ts';
import { newTotpSecret } from '#server/core/auth/factors/totp.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { addAdmin, testServer } from '#server/core/testing/server.ts';
import { ssoClient, testSsoProvider, visitProvider } from '#server/core/testing/sso-provider.ts';

/* Single sign-on against a real provider on this machine. */
const panel = 'http://panel.example';
const redirectUrl = `${panel}/login`;
const provider = await testSsoProvider(redirectUrl);
const db = await testDatabase();
const settings = {
  BURSAR_SSO_ISSUER: provider.issuer,
  BURSAR_SSO_CLIENT_ID: ssoClient.id,
  BURSAR_SSO_CLIENT_SECRET: ssoClient.secret,
  BURSAR_SSO_PANEL_ORIGIN: panel,
  BURSAR_SSO_SCOPES: 'profile groups',
  BURSAR_SSO_ROLES: 'owners=SuperAdmin,staff=Admin,helpers=Support',
};
const server = await testServer(db.url, settings);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
});
await addAdmin(db.database, { username: 'ann', role: 'SuperAdmin' });
await addAdmin(db.database, { username: 'ben' });

const browser = { origin: panel };
const cookiesOf = ({ headers }: { headers: Headers }) =>
  headers
    .getSetCookie()
    .map((text) => text.split(';')[0])
    .filter((text) => !text?.endsWith('='))
    .join('; ');

async function start() {
  const answer = await server.call('POST', '/api/auth/sso/start', { headers: browser });
  return { url: String(answer.json['url']), cookie: cookiesOf(answer) };
}

const finish = (query: string, cookie: string) =>
  server.call('POST', '/api/auth/sso/finish', { body: { query }, headers: { ...browser, cookie } });

type Person = { username: string; groups: string[] | string; amr?: string[] };

async function signInAs(subject: string, person: Person) {
  provider.people.set(subject, person);
  provider.signInAs(subject);
  const { url, cookie } = await start();
  return finish(await visitProvider(url, redirectUrl), cookie);
}

async function meOf(answer: Awaited<ReturnType<typeof finish>>) {
  const headers = { cookie: cookiesOf(answer) };
  const { json } = await server.call('GET', '/api/auth/me', { token: String(answer.json['token']), headers });
  return json['me'];
}

const lastEntry = () =>
  db.owner
    .selectFrom('auditEntry')
    .select(['action', 'actorId', 'details'])
    .orderBy('seq', 'desc')
    .executeTakeFirstOrThrow();

test('an administrator signs in at the provider and gets a browser session of their account', async () => {
  const answer = await signInAs('subject-ann', { username: 'Ann', groups: ['owners', 'others'] });
  expect(answer.status).toBe(200);
  expect(await meOf(answer)).toMatchObject({ username: 'ann', role: 'SuperAdmin' });
  const me = await server.call('GET', '/api/auth/me', { token: String(answer.json['token']) });
  expect(me.status).toBe(401);
  expect(cookiesOf(answer)).toContain('__Host-bursar-device=');
  const { action, details } = await lastEntry();
  expect(action).toBe('auth.sign-in');
  expect(JSON.parse(details)).toMatchObject({ sso: provider.issuer, linked: 'subject-ann' });
});

test('the request to the provider has PKCE, a nonce and a state, and each is different the next time', async () => {
  const first = new URL((await start()).url).searchParams;
  const second = new URL((await start()).url).searchParams;
  expect(first.get('code_challenge_method')).toBe('S256');
  expect(first.get('scope')).toBe('openid profile groups');
  for (const name of ['code_challenge', 'nonce', 'state']) {
    expect(first.get(name)).toMatch(/^[\w-]{43}$/);
    expect(first.get(name)).not.toBe(second.get(name));
  }
});

/** Signs in with an address from which the browser has removed what asks the provider for a recent sign-in. */
async function signInSilentlyAs(subject: string, person: Person) {
  provider.people.set(subject, person);
  provider.signInAs(subject);
  const { url, cookie } = await start();
  const silent = new URL(url);
  expect(silent.searchParams.has('max_age')).toBe(true);
  silent.searchParams.delete('max_age');
  return finish(await visitProvider(silent.href, redirectUrl), cookie);
}

test('a sign-in that the provider does not report as recent starts no session', async () => {
  await addAdmin(db.database, { username: 'silas' });
  const { status, json } = await signInSilentlyAs('subject-silas', {
    username: 'silas',
    groups: 'staff',
    amr: ['mfa'],
  });
  expect([status, json['code']]).toEqual([403, 'SsoNotRecent']);
});

test('after the first sign-in only the subject counts, and no longer the name', async () => {
  expect((await signInAs('subject-ben', { username: 'ben', groups: 'staff' })).status).toBe(200);
  const thief = await signInAs('another-subject', { username: 'ben', groups: 'owners' });
  expect(thief.status).toBe(403);
  expect(thief.json['code']).toBe('SsoNotPermitted');
  const renamed = await signInAs('subject-ben', { username: 'benjamin', groups: 'staff' });
  expect(await meOf(renamed)).toMatchObject({ username: 'ben' });
});

test('an identity that was written to the database, or moved to another administrator, signs nobody in', async () => {
  const { issuer } = provider;
  const cara = await addAdmin(db.database, { username: 'cara' });
  await sql`insert into sso_identity values (${cara.id}, ${issuer}, 'thief', now(), sha256('mine'))`.execute(db.owner);
  expect((await signInAs('thief', { username: 'thief', groups: 'staff' })).json['code']).toBe('SsoNotPermitted');
  await addAdmin(db.database, { username: 'mallory' });
  expect((await signInAs('subject-mallory', { username: 'mallory', groups: 'staff' })).status).toBe(200);
  await sql`delete from sso_identity where admin_id = ${cara.id}`.execute(db.owner);
  await sql`update sso_identity set admin_id = ${cara.id} where subject = 'subject-mallory'`.execute(db.owner);
  const { json } = await signInAs('subject-mallory', { username: 'mallory', groups: 'staff' });
  expect(json['code']).toBe('SsoNotPermitted');
});

test('the provider can withhold access, and gives no more than the account has', async () => {
  for (const groups of [[], ['others'], ['helpers']]) {
    const { status, json } = await signInAs('subject-ben', { username: 'ben', groups });
    expect([status, json['code']]).toEqual([403, 'SsoNotPermitted']);
  }
  expect((await lastEntry()).action).toBe('auth.sign-in-refused');
  const risen = await signInAs('subject-ben', { username: 'ben', groups: ['owners'] });
  expect(await meOf(risen)).toMatchObject({ username: 'ben', role: 'Admin' });
});

test('an unknown name gets no account', async () => {
  const { status, json } = await signInAs('stranger', { username: 'stranger', groups: ['owners'] });
  expect([status, json['code']]).toEqual([403, 'SsoNotPermitted']);
  expect(await db.owner.selectFrom('admin').select('id').where('username', '=', 'stranger').execute()).toEqual([]);
});

test('a code works once, only in the browser that asked for it, and only with its own state', async () => {
  provider.people.set('subject-ann', { username: 'ann', groups: ['owners'] });
  provider.signInAs('subject-ann');
  const mine = await start();
  const query = await visitProvider(mine.url, redirectUrl);
  const other = await start();
  const foreign = new URLSearchParams(query);
  foreign.set('state', new URL(other.url).searchParams.get('state') ?? '');
  for (const [sent, cookie] of [
    [query, ''],
    [query, other.cookie],
    [`?${foreign.toString()}`, other.cookie],
    // Not the last character: some of its bits are not part of the signature.
    [query, mine.cookie.replace(/.(?=.{4}$)/, (one) => (one === 'A' ? 'B' : 'A'))],
    ['?error=access_denied&state=x', mine.cookie],
  ] as const) {
    const { status, json, headers } = await finish(sent, cookie);
    expect([status, json['code']]).toEqual([401, 'SsoFailed']);
    expect(headers.getSetCookie().some((text) => text.startsWith('__Host-bursar-sso=;'))).toBe(true);
  }
  // The provider revokes a code that was sent with another verifier.
  const again = await start();
  const fresh = await visitProvider(again.url, redirectUrl);
  expect((await finish(fresh, again.cookie)).status).toBe(200);
  expect((await finish(fresh, again.cookie)).json['code']).toBe('SsoFailed');
});

test('an expired temporary password also ends single sign-on', async () => {
  const { id } = await addAdmin(db.database, { username: 'cleo', temporary: true });
  const person = { username: 'cleo', groups: ['staff'] };
  expect(await meOf(await signInAs('subject-cleo', person))).toMatchObject({ mustChangePassword: true });
  await sql`update admin_credential set changed_at = now() - interval '73 hours' where admin_id = ${id}`.execute(
    db.owner,
  );
  expect((await signInAs('subject-cleo', person)).json['code']).toBe('TemporaryPasswordExpired');
});

test('the identity of a deleted administrator can belong to their next account', async () => {
  await addAdmin(db.database, { username: 'dora', permissionSet: 'Support' });
  const person = { username: 'dora', groups: ['helpers'] };
  expect((await signInAs('subject-dora', person)).status).toBe(200);
  const ann = await server.signIn('ann');
  await server.call('POST', '/api/admin/delete', { token: ann, body: { username: 'dora' } });
  expect((await signInAs('subject-dora', person)).json['code']).toBe('SsoNotPermitted');
  await addAdmin(db.database, { username: 'dora', permissionSet: 'Support' });
  expect((await signInAs('subject-dora', person)).status).toBe(200);
});

test('without a provider there is no single sign-on, and one that does not respond is reported', async () => {
  await using none = await testServer(db.url);
  expect((await none.call('POST', '/api/auth/sso/start')).json['code']).toBe('SsoNotConfigured');
  await using gone = await testServer(db.url, { ...settings, BURSAR_SSO_ISSUER: 'http://127.0.0.1:9' });
  const { status, json } = await gone.call('POST', '/api/auth/sso/start');
  expect([status, json['code']]).toEqual([502, 'SsoUnavailable']);
});

const finishWith = (code: string, cookie: string) =>
  server.call('POST', '/api/auth/sso/code', { body: { code }, headers: { ...browser, cookie } });

const factorsOf = async (adminId: string) =>
  (await db.owner.selectFrom('session').select('factor').where('adminId', '=', adminId).execute()).map(
    ({ factor }) => factor,
  );

test('an account with a second factor needs a code, unless the provider asked for a second factor', async () => {
  const { id } = await addAdmin(db.database, { username: 'dana' });
  const recoveryCodes = await db.database.transaction().execute(async (tx) => {
    await upsertUnconfirmedTotp(tx, id, sealTotp(id, newTotpSecret()));
    await confirmTotp(tx, id);
    return renewRecoveryCodes(tx, id);
  });
  const dana = { username: 'dana', groups: 'staff' };

  const named = await signInAs('subject-dana', { ...dana, amr: ['pwd'] });
  expect([named.status, named.json['code']]).toEqual([403, 'FactorRequired']);
  const cookie = cookiesOf(named);
  expect(await db.owner.selectFrom('ssoIdentity').select('adminId').where('adminId', '=', id).execute()).toEqual([]);
  expect((await finishWith('000000', cookie)).json['code']).toBe('CodeWrong');
  expect((await finishWith(recoveryCodes[0] ?? '', '')).json['code']).toBe('SsoFailed');
  const { cookie: atProvider } = await start();
  const swapped = atProvider.replace('__Host-bursar-sso=', '__Host-bursar-sso-code=');
  expect((await finishWith(recoveryCodes[0] ?? '', swapped)).json['code']).toBe('SsoFailed');
  const answer = await finishWith(recoveryCodes[0] ?? '', cookie);
  expect(answer.status, answer.text).toBe(200);
  expect(await meOf(answer)).toMatchObject({ username: 'dana' });
  expect((await finishWith(recoveryCodes[0] ?? '', cookie)).json['code']).toBe('CodeWrong');
  expect(await factorsOf(id)).toEqual(['recovery']);

  const silent = await signInSilentlyAs('subject-dana', { ...dana, amr: ['pwd', 'mfa'] });
  expect([silent.status, silent.json['code']]).toEqual([403, 'FactorRequired']);
  expect((await signInAs('subject-dana', { ...dana, amr: ['pwd', 'mfa'] })).status).toBe(200);
  expect(await factorsOf(id)).toEqual(['recovery', 'provider']);
});
