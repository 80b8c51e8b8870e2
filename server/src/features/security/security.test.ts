import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin, testPassword } from '#server/core/testing/server.ts';
import { eventually, openStream } from '#server/core/testing/stream.ts';

const { db, server } = await testEnvironment({ BURSAR_TRUSTED_PROXIES: '127.0.0.1' });

let added = 0;
async function someone(permissionSet?: 'Auditor') {
  added += 1;
  const admin = await addAdmin(db.database, { username: `someone${added}`, ...(permissionSet && { permissionSet }) });
  return { ...admin, token: await server.signIn(admin.username) };
}

const me = async (token: string) => (await server.call('GET', '/api/auth/me', { token })).status;

type Session = { id: string; device: string; network: string; current: boolean };
async function sessionsOf(token: string) {
  const { status, json } = await server.call('GET', '/api/security/sessions', { token });
  expect(status).toBe(200);
  return json['sessions'] as Session[];
}

const signInFrom = async (username: string, { device, address }: { device: string; address: string }) => {
  const { json } = await server.call('POST', '/api/admin/login', {
    body: { username, password: testPassword },
    headers: { 'user-agent': device, 'x-forwarded-for': address },
  });
  return String(json['token']);
};

const lastAct = async () =>
  (
    await sql<{
      action: string;
      details: string;
    }>`select action, details from audit_entry order by seq desc limit 1`.execute(db.owner)
  ).rows[0];

test('the own sessions are listed with device and network, this one first, and never with a token', async () => {
  const { username, token } = await someone();
  await someone();
  await signInFrom(username, { device: 'a phone', address: '203.0.113.7' });
  const sessions = await sessionsOf(token);
  expect(sessions).toHaveLength(2);
  expect(sessions[0]).toMatchObject({ current: true });
  expect(sessions[1]).toMatchObject({ current: false, device: 'a phone', network: '203.0.113.0/24' });
  for (const session of sessions) {
    expect(Object.keys(session).toSorted()).toEqual(['createdAt', 'current', 'device', 'id', 'lastUsedAt', 'network']);
  }
});

test('a session that is idle or over is not listed', async () => {
  const { id, username, token } = await someone();
  await server.signIn(username);
  await sql`update session set last_used_at = now() - interval '31 minutes'
    where admin_id = ${id} and id = (select id from session where admin_id = ${id} order by created_at desc limit 1)`.execute(
    db.owner,
  );
  expect(await sessionsOf(token)).toHaveLength(1);
});

test('a revoked session ends by the next call, its stream ends at once, and the audit log says which it was', async () => {
  const { username, token } = await someone();
  const other = await signInFrom(username, { device: 'a phone', address: '203.0.113.7' });
  const stream = await openStream(server.address, { authorization: `Bearer ${other}` });
  const session = (await sessionsOf(token)).find(({ current }) => !current);
  const path = `/api/security/sessions/${session?.id}/revoke`;
  expect((await server.call('POST', path, { token })).status).toBe(200);
  expect(await lastAct()).toEqual({
    action: 'auth.revoke-session',
    details: JSON.stringify({ device: 'a phone', network: '203.0.113.0/24' }),
  });
  await eventually(() => stream.ended);
  expect([await me(token), await me(other)]).toEqual([200, 401]);
  const again = await server.call('POST', path, { token });
  expect(again).toMatchObject({ status: 404, json: { code: 'SessionNotFound' } });
});

test('nobody can revoke the session of somebody else', async () => {
  const [mine, other] = [await someone(), await someone()];
  const [session] = await sessionsOf(other.token);
  const { status } = await server.call('POST', `/api/security/sessions/${session?.id}/revoke`, { token: mine.token });
  expect(status).toBe(404);
  expect(await me(other.token)).toBe(200);
});

test('signing out everywhere else ends all sessions of this administrator but this one', async () => {
  const { username, token } = await someone();
  const bystander = await someone();
  const others = [await server.signIn(username), await server.signIn(username)];
  const path = '/api/security/sessions/revoke-others';
  expect((await server.call('POST', path, { token })).json).toEqual({ ended: 2 });
  expect(await lastAct()).toEqual({ action: 'auth.revoke-other-sessions', details: '{"ended":2}' });
  expect(await Promise.all([token, ...others, bystander.token].map(me))).toEqual([200, 401, 401, 200]);
  expect((await server.call('POST', path, { token })).json).toEqual({ ended: 0 });
});

test('the sign-in history has successful and failed attempts of the own account only, newest first', async () => {
  const { username, token } = await someone();
  const stranger = await someone();
  await server.call('POST', '/api/admin/login', {
    body: { username, password: 'not the right phrase' },
    headers: { 'user-agent': 'a guess', 'x-forwarded-for': '198.51.100.9' },
  });
  const { json } = await server.call('GET', '/api/security/sign-ins', { token });
  expect(json['attempts']).toMatchObject([
    { succeeded: false, device: 'a guess', network: '198.51.100.0/24' },
    { succeeded: true },
  ]);
  expect(json['olderThan']).toBeNull();
  const theirs = await server.call('GET', '/api/security/sign-ins', { token: stranger.token });
  expect(theirs.json['attempts']).toMatchObject([{ succeeded: true }]);
});

test('older sign-ins are on further pages', async () => {
  const { username, token } = await someone();
  for (let index = 0; index < 26; index += 1) await server.signIn(username);
  const current = await server.signIn(username);
  expect(await me(token)).toBe(401);
  const first = await server.call('GET', '/api/security/sign-ins', { token: current });
  expect(first.json['attempts']).toHaveLength(25);
  const next = await server.call('GET', `/api/security/sign-ins?before=${String(first.json['olderThan'])}`, {
    token: current,
  });
  expect(next.json['attempts']).toHaveLength(3);
  expect(next.json['olderThan']).toBeNull();
});

const report = (directive: string, blocked: string, address = '203.0.113.1') =>
  server.call('POST', '/api/policy-reports', {
    body: { 'csp-report': { 'effective-directive': directive, 'blocked-uri': blocked } },
    headers: { 'content-type': 'application/csp-report', 'x-forwarded-for': address },
  });

async function reportsFor(token: string) {
  const { status, json } = await server.call('GET', '/api/security/policy-reports', { token });
  return { status, reports: json['reports'] as { directive: string; blocked: string; reports: number }[] };
}

test('equal policy reports are counted in one row without queries of URLs, for those who may read the audit log', async () => {
  const [auditor, admin] = [await someone('Auditor'), await someone()];
  await report('script-src', 'https://evil.example/a.js?key=secret');
  await report('script-src', 'https://evil.example/a.js?key=other');
  await report('img-src', 'inline');
  expect((await reportsFor(auditor.token)).reports).toMatchObject([
    { directive: 'img-src', blocked: 'inline', reports: 1 },
    { directive: 'script-src', blocked: 'https://evil.example/a.js', reports: 2 },
  ]);
  expect((await reportsFor(admin.token)).status).toBe(403);
});

test('strangers cannot fill the table of policy reports, and old rows are deleted', async () => {
  const { token } = await someone('Auditor');
  await sql`insert into policy_report (directive, blocked, last_at)
    select 'old', number::text, now() - interval '31 days' from generate_series(1, 200) as number`.execute(db.owner);
  await report('style-src', 'after old ones', '203.0.114.1');
  expect((await reportsFor(token)).reports[0]).toMatchObject({ blocked: 'after old ones' });
  const count = async () => (await sql`select from policy_report`.execute(db.owner)).rows.length;
  expect(await count()).toBeLessThan(10);

  await sql`insert into policy_report (directive, blocked)
    select 'many', number::text from generate_series(1, 200) as number`.execute(db.owner);
  const full = await count();
  expect((await report('style-src', 'one too many', '203.0.114.1')).status).toBe(200);
  expect(await count()).toBe(full);
  await report('style-src', 'after old ones', '203.0.114.1');
  expect((await reportsFor(token)).reports[0]).toMatchObject({ blocked: 'after old ones', reports: 2 });

  for (let index = 0; index < 30; index += 1) await report('many', '1', '203.0.115.1');
  const { rows } = await sql<{ reports: string }>`select reports from policy_report
    where directive = 'many' and blocked = '1'`.execute(db.owner);
  expect(Number(rows[0]?.reports)).toBe(21);
});
