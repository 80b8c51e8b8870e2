import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '#server/core/db/db.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin, testPassword } from '#server/core/testing/server.ts';
import { recordAudit, verifyAudit } from './audit.ts';
import { publishHead } from './head.ts';

const { db, server } = await testEnvironment();
const root = await addAdmin(db.database, { username: 'root', role: 'SuperAdmin' });
const ann = await addAdmin(db.database, { username: 'ann' });
const token = await server.signIn('root');
const annToken = await server.signIn('ann');

const entries = () => db.owner.selectFrom('auditEntry').selectAll().orderBy('seq').execute();

/** Returns the rows that a call adds to the log. */
async function added(work: () => Promise<unknown>) {
  const before = (await entries()).length;
  await work();
  const rows = (await entries()).slice(before);
  return rows.map(({ actorId, action, subjectId, details }) => ({
    actorId,
    action,
    subjectId,
    details: JSON.parse(details) as unknown,
  }));
}

const call = (method: string, path: string, body?: unknown) => server.call(method, path, { token, body });

test('a sign-in, a refused sign-in and a sign-out leave one row each', async () => {
  const browser = { 'user-agent': 'Browser 1' };
  const login = (username: string, password: string) =>
    server.call('POST', '/api/admin/login', { body: { username, password }, headers: browser });
  const details = { network: '127.0.0.0/24', device: 'Browser 1' };
  let other = '';
  const signedIn = await added(async () => {
    other = String((await login('ann', testPassword)).json['token']);
  });
  expect(signedIn).toEqual([{ actorId: ann.id, action: 'auth.sign-in', subjectId: null, details }]);
  expect(await added(() => login('ann', 'not the right phrase'))).toEqual([
    { actorId: ann.id, action: 'auth.sign-in-refused', subjectId: null, details },
  ]);
  expect(await added(() => login('nobody', testPassword))).toEqual([
    { actorId: null, action: 'auth.sign-in-refused', subjectId: null, details },
  ]);
  expect(await added(() => server.call('POST', '/api/auth/logout', { token: other }))).toEqual([
    { actorId: ann.id, action: 'auth.sign-out', subjectId: null, details: {} },
  ]);
});

test('each change of an administrator leaves one row with the values before and after', async () => {
  const user = { username: 'cal', password: testPassword, confirmPassword: testPassword, role: 'Admin' };
  let id = '';
  const created = await added(async () => {
    id = String(((await call('POST', '/api/admin/signup', user)).json['admin'] as { id: string }).id);
  });
  const cal = { username: 'cal', role: 'Admin', permissionSet: null };
  const narrowed = { ...cal, permissionSet: 'Support' };
  expect(created).toEqual([{ actorId: root.id, action: 'admins.create', subjectId: id, details: { after: cal } }]);
  expect(await added(() => call('PATCH', `/api/admin/${id}`, { version: 1, permissionSet: 'Support' }))).toEqual([
    { actorId: root.id, action: 'admins.change', subjectId: id, details: { before: cal, after: narrowed } },
  ]);
  expect(await added(() => call('POST', '/api/admin/delete', { username: 'cal' }))).toEqual([
    { actorId: root.id, action: 'admins.delete', subjectId: id, details: { before: narrowed } },
  ]);
});

test('each action on a ticket leaves one row', async () => {
  let id = '';
  const opened = await added(async () => {
    id = String((await call('POST', '/api/tickets', { type: 'Lost', description: 'Help' })).json['id']);
  });
  expect(opened).toEqual([
    { actorId: root.id, action: 'tickets.create', subjectId: id, details: { after: { type: 'Lost' } } },
  ]);
  expect(await added(() => call('POST', `/api/tickets/${id}/reply`, { message: 'Hello' }))).toMatchObject([
    {
      action: 'tickets.reply',
      subjectId: id,
      details: { before: { status: 'open' }, after: { status: 'in_progress' } },
    },
  ]);
  expect(await added(() => call('PATCH', `/api/tickets/${id}/status`, { status: 'closed' }))).toMatchObject([
    { action: 'tickets.set-status', details: { before: { status: 'in_progress' }, after: { status: 'closed' } } },
  ]);
  expect(await added(() => call('PATCH', `/api/tickets/${id}/status`, { status: 'closed' }))).toEqual([]);
});

test('a changed password leaves one row', async () => {
  const { id, username } = await addAdmin(db.database, { username: 'changing' });
  const theirs = await server.signIn(username);
  const body = { currentPassword: testPassword, newPassword: 'my own quiet phrase' };
  expect(await added(() => server.call('POST', '/api/auth/password', { token: theirs, body }))).toEqual([
    { actorId: id, action: 'auth.change-password', subjectId: null, details: {} },
  ]);
});

test('a denied call leaves one row that names the call', async () => {
  const denied = await added(() =>
    server.call('POST', '/api/admin/delete', { token: annToken, body: { username: 'root' } }),
  );
  const details = { count: 1, calls: ['POST /api/admin/delete'] };
  expect(denied).toEqual([{ actorId: ann.id, action: 'auth.denied', subjectId: null, details }]);
});

test('reading leaves no row', async () => {
  expect(await added(() => call('GET', '/api/tickets/all'))).toEqual([]);
});

test('an action that is rolled back leaves no row', async () => {
  const undone = () =>
    db.database.transaction().execute(async (tx) => {
      await recordAudit(tx, { actorId: root.id, action: 'tickets.create' });
      throw new Error('Changed my mind.');
    });
  expect(await added(() => undone().catch(() => undefined))).toEqual([]);
});

test('an action fails if its audit row cannot be written, and the response does not say why', async () => {
  await sql`alter table audit_entry add constraint full_disk check (action not like 'tickets.%') not valid`.execute(
    db.owner,
  );
  const before = await db.owner.selectFrom('ticket').select('id').execute();
  const answer = await call('POST', '/api/tickets', { type: 'Unseen', description: 'Help' });
  expect(answer.status).toBe(500);
  expect(answer.text).not.toContain('full_disk');
  expect(await db.owner.selectFrom('ticket').select('id').execute()).toEqual(before);
  await sql`alter table audit_entry drop constraint full_disk`.execute(db.owner);
});

test('rows written concurrently form one chain without gaps', async () => {
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      call('POST', '/api/tickets', { type: `At once ${index}`, description: 'Text' }),
    ),
  );
  const rows = await entries();
  expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => BigInt(index + 1)));
  expect(await verifyAudit(db.database)).toEqual({ sound: true, rows: BigInt(rows.length) });
});

const roles: [string, Database, string][] = [
  ['the application', db.database, '42501'],
  ['the worker', db.worker, '42501'],
  ['the owner', db.owner, 'BU002'],
];

test.each(roles)('%s cannot rewrite the log', async (_who, database, code) => {
  for (const statement of [
    `update audit_entry set details = '{}'`,
    'delete from audit_entry',
    'truncate audit_entry',
  ]) {
    const tried = database.transaction().execute((tx) => sql.raw(statement).execute(tx));
    await expect(tried).rejects.toMatchObject({ code });
  }
});

test('the newest seal is published with a signature, and again after new rows', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'bursar-heads-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const headFile = path.join(folder, 'heads.jsonl');
  await publishHead(db.worker, { ...db.config.audit, headFile });
  await call('POST', '/api/tickets', { type: 'One more', description: 'Text' });
  await publishHead(db.worker, { ...db.config.audit, headFile });
  const heads = (await readFile(headFile, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { seq: string; seal: string });
  const rows = await entries();
  expect(heads.map(({ seq }) => seq)).toEqual([String(rows.length - 1), String(rows.length)]);
  expect(heads.at(-1)?.seal).toBe(rows.at(-1)?.seal.toString('hex'));
});

test('a row that skips sequence numbers is rejected, even from a role that may insert', async () => {
  const ahead = sql`
    insert into audit_entry (seq, at, action, details, seal)
    values (9223372036854775807, now(), 'x.y', '{}', '\\x00')`.execute(db.database);
  await expect(ahead).rejects.toThrow('is not the next one');
});
