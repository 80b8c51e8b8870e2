import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { addApiKey } from '#server/core/testing/api-key.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin, testPassword } from '#server/core/testing/server.ts';
import { verifyAudit } from './audit.ts';
import { recordPendingDenials } from './denials.ts';

const { db, server } = await testEnvironment();
const ann = await addAdmin(db.database, { username: 'ann' });
const token = await server.signIn('ann');

const deleteAdmin = () => server.call('POST', '/api/admin/delete', { token, body: { username: 'root' } });
const readAudit = () => server.call('GET', '/api/audit', { token });

async function denials() {
  const rows = await db.owner
    .selectFrom('auditEntry')
    .selectAll()
    .where('action', '=', 'auth.denied')
    .orderBy('seq')
    .execute();
  return rows.map(({ actorId, apiKeyId, details }) => ({ actorId, apiKeyId, details: JSON.parse(details) as unknown }));
}

/** Makes the last audit row about every caller a minute old. */
const aMinutePasses = () => sql`update audit_denial set recorded_at = now() - interval '1 minute'`.execute(db.owner);

const byAnn = (details: object) => ({ actorId: ann.id, apiKeyId: null, details });
const first = byAnn({ count: 1, calls: ['POST /api/admin/delete'] });

test('the first denial is audited at once, and those of the next minute together in one row', async () => {
  expect((await deleteAdmin()).status).toBe(403);
  expect(await denials()).toEqual([first]);

  const repeated = await Promise.all([deleteAdmin(), readAudit(), deleteAdmin(), readAudit(), deleteAdmin()]);
  expect(repeated.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  await recordPendingDenials(db.worker);
  expect(await denials()).toEqual([first]);

  await aMinutePasses();
  expect((await readAudit()).status).toBe(403);
  const calls: unknown = expect.arrayContaining(['POST /api/admin/delete', 'GET /api/audit']);
  expect(await denials()).toEqual([first, byAnn({ count: 6, calls })]);
});

test('the worker audits what was counted for a caller who stopped', async () => {
  const before = await denials();
  await aMinutePasses();
  await deleteAdmin();
  await deleteAdmin();
  await deleteAdmin();
  await aMinutePasses();
  await Promise.all([recordPendingDenials(db.worker), recordPendingDenials(db.worker)]);
  await recordPendingDenials(db.worker);
  const calls = ['POST /api/admin/delete'];
  expect((await denials()).slice(before.length)).toEqual([byAnn({ count: 1, calls }), byAnn({ count: 2, calls })]);
  expect(await verifyAudit(db.database)).toMatchObject({ sound: true });
});

test('a call outside the scopes of an API key is audited as a denial of the key', async () => {
  const before = await denials();
  const key = await addApiKey(db.owner, { scopes: ['users:write'] });
  const answer = await server.call('GET', '/api/platform/events', { token: key.secret });
  expect(answer).toMatchObject({ status: 403, json: { code: 'ScopeMissing' } });
  expect((await denials()).slice(before.length)).toEqual([
    { actorId: null, apiKeyId: key.id, details: { count: 1, calls: ['GET /api/platform/events'] } },
  ]);
});

test('a wrong current password at a change of the password is audited', async () => {
  const { id, username } = await addAdmin(db.database, { username: 'guessing' });
  const theirs = await server.signIn(username);
  const change = (currentPassword: string) =>
    server.call('POST', '/api/auth/password', {
      token: theirs,
      body: { currentPassword, newPassword: 'my own quiet phrase' },
      headers: { 'user-agent': 'Browser 1' },
    });
  expect((await change('not the right phrase')).json).toMatchObject({ code: 'CurrentPasswordWrong' });
  expect((await change(testPassword)).status).toBe(200);
  const rows = await db.owner
    .selectFrom('auditEntry')
    .select(['action', 'details'])
    .where('actorId', '=', id)
    .where('action', 'like', 'auth.change%')
    .orderBy('seq')
    .execute();
  expect(rows.map(({ action, details }) => [action, JSON.parse(details) as unknown])).toEqual([
    ['auth.change-password-refused', { network: '127.0.0.0/24', device: 'Browser 1' }],
    ['auth.change-password', {}],
  ]);
});
