import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { openLog } from '#server/core/log.ts';
import { sealSecret } from '#server/core/sealed-secret.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { startSessionsAgo } from '#server/core/testing/session.ts';
import { decideOn } from '#server/core/testing/second.ts';
import { addAdmin, testServer } from '#server/core/testing/server.ts';
import { addUser } from '#server/core/testing/user.ts';

const db = await testDatabase();
const logged: string[] = [];
const log = openLog('debug', { write: (line: string) => logged.push(line) });
const server = await testServer(db.url, {}, log);
const second = await testServer(db.url);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await second[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
});

const ann = await addAdmin(db.database, { username: 'ann', role: 'SuperAdmin' });
await addAdmin(db.database, { username: 'ben', role: 'SuperAdmin' });
await addAdmin(db.database, { username: 'cleo' });
await addAdmin(db.database, { username: 'aud', permissionSet: 'Auditor' });
const tokens = {
  ann: await server.signIn('ann'),
  ben: await server.signIn('ben'),
  cleo: await server.signIn('cleo'),
  aud: await server.signIn('aud'),
};
type Name = keyof typeof tokens;

const reason = 'A court order of 16 Nov 2026';

/** Adds a user whose private key is a text that occurs nowhere else. */
async function addHolder() {
  const user = await addUser(db.owner);
  const privateKey = `key-${randomBytes(24).toString('hex')}`;
  const place = { table: 'user_secret', id: user.id, column: 'sol_private_key' } as const;
  const solPrivateKey = sealSecret(db.config.secretsKey, place, privateKey);
  await db.owner
    .transaction()
    .execute((tx) => tx.insertInto('userSecret').values({ userId: user.id, solPrivateKey }).execute());
  return { ...user, privateKey };
}

type Reveal = { id: string; approval: string; state: string };

const request = (id: string, as: Name = 'ann', body: object = { reason }) =>
  server.call('POST', `/api/users/${id}/key-reveal`, { token: tokens[as], body });
const current = async (id: string, as: Name = 'ann') =>
  (await server.call('GET', `/api/users/${id}/key-reveal`, { token: tokens[as] })).json['reveal'] as Reveal | null;
const open = (id: string, as: Name = 'ann', on = server) =>
  on.call('POST', `/api/users/key-reveals/${id}/open`, { token: tokens[as] });

async function requested(userId: string, as: Name = 'ann') {
  const { status, json } = await request(userId, as);
  expect(status).toBe(200);
  return json['reveal'] as Reveal;
}

async function approved(userId: string) {
  const reveal = await requested(userId);
  expect((await decideOn(server, reveal.approval, { token: tokens.ben })).status).toBe(200);
  return reveal;
}

const refusalOf = ({ status, json }: { status: number; json: Record<string, unknown> }) => [status, json['code']];

let holder: Awaited<ReturnType<typeof addHolder>>;
beforeEach(async () => {
  holder = await addHolder();
});

test('a second Super Admin approves, and the requester opens the key once', async () => {
  const reveal = await requested(holder.id);
  expect(await current(holder.id)).toMatchObject({ id: reveal.id, state: 'waiting', reason });
  expect(refusalOf(await open(reveal.id))).toEqual([409, 'RevealNotApproved']);
  await decideOn(server, reveal.approval, { token: tokens.ben });
  expect(await current(holder.id)).toMatchObject({ id: reveal.id, state: 'approved' });
  const opened = await open(reveal.id);
  expect([opened.status, opened.json]).toEqual([200, { privateKey: holder.privateKey }]);
  expect(opened.headers.get('cache-control')).toBe('no-store');
  expect(refusalOf(await open(reveal.id))).toEqual([409, 'KeyOpened']);
  expect(await current(holder.id)).toBeNull();
});

test('an approval that was written to the database opens nothing', async () => {
  const reveal = await requested(holder.id);
  await sql`update approval set state = 'approved', rule = 'second', decided_at = now(),
    decided_by = (select id from admin where username = 'ben') where id = ${reveal.approval}`.execute(db.database);
  expect(refusalOf(await open(reveal.id))).toEqual([409, 'RevealNotApproved']);
  expect(await current(holder.id)).toMatchObject({ id: reveal.id, state: 'approved' });
});

test('exactly one of fifty concurrent openings on two servers gets the key', async () => {
  const { id } = await approved(holder.id);
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => open(id, 'ann', n % 2 ? server : second)));
  expect(answers.filter(({ text }) => text.includes(holder.privateKey))).toHaveLength(1);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
  const acts = await db.owner
    .selectFrom('auditEntry')
    .select('seq')
    .where('action', '=', 'users.open-key')
    .where('subjectId', '=', holder.id)
    .execute();
  expect(acts).toHaveLength(1);
});

test('the requester cannot approve, and nobody else can open', async () => {
  const reveal = await requested(holder.id);
  expect(refusalOf(await decideOn(server, reveal.approval, { token: tokens.ann }))).toEqual([409, 'OwnRequest']);
  expect(refusalOf(await decideOn(server, reveal.approval, { token: tokens.cleo }))).toEqual([
    409,
    'ApproverNotPermitted',
  ]);
  await decideOn(server, reveal.approval, { token: tokens.ben });
  expect(refusalOf(await open(reveal.id, 'ben'))).toEqual([404, 'RevealNotFound']);
  expect((await open(reveal.id)).status).toBe(200);
});

test('only Super Admins can request, read or open, and a reason is required', async () => {
  const { id } = await approved(holder.id);
  for (const name of ['cleo', 'aud'] as const) {
    const token = tokens[name];
    expect(refusalOf(await request(holder.id, name))).toEqual([403, 'PermissionDenied']);
    expect(refusalOf(await open(id, name))).toEqual([403, 'PermissionDenied']);
    for (const path of [`/api/users/${holder.id}/key-reveal`, '/api/users/opened-keys']) {
      expect(refusalOf(await server.call('GET', path, { token }))).toEqual([403, 'PermissionDenied']);
    }
  }
  for (const body of [{}, { reason: '  ' }]) expect((await request(holder.id, 'ben', body)).status).toBe(400);
});

test('a key that is not there, or already requested, cannot be requested', async () => {
  const { id } = await addUser(db.owner);
  expect(refusalOf(await request(id))).toEqual([409, 'NoPrivateKey']);
  await requested(holder.id);
  expect(refusalOf(await request(holder.id))).toEqual([409, 'RevealRequested']);
  await requested(holder.id, 'ben');
  await server.call('POST', `/api/users/${holder.id}/delete`, { token: tokens.ann });
  expect(refusalOf(await request(holder.id))).toEqual([404, 'UserNotFound']);
});

test('a denied or expired request, or one for a deleted user, opens nothing', async () => {
  const denied = await requested(holder.id);
  await decideOn(server, denied.approval, { token: tokens.ben, decision: 'deny' });
  expect(refusalOf(await open(denied.id))).toEqual([409, 'RevealNotApproved']);

  const late = await approved(holder.id);
  await db.owner.transaction().execute(async (tx) => {
    await sql`alter table approval disable trigger approval_stays_decided`.execute(tx);
    await sql`update approval set requested_at = now() - interval '2 hours', expires_at = now()
      where id = ${late.approval}`.execute(tx);
    await sql`alter table approval enable trigger approval_stays_decided`.execute(tx);
  });
  expect(refusalOf(await open(late.id))).toEqual([409, 'RevealExpired']);
  expect(await current(holder.id)).toBeNull();

  const gone = await approved(holder.id);
  await server.call('POST', `/api/users/${holder.id}/delete`, { token: tokens.ann });
  expect(refusalOf(await open(gone.id))).toEqual([404, 'UserNotFound']);
});

test('request, decision and opening are audited, every Super Admin sees the opening, and neither has the key', async () => {
  logged.length = 0;
  const { id } = await approved(holder.id);
  await open(id);
  await open(id);
  const entries = await db.owner
    .selectFrom('auditEntry')
    .select(['action', 'subjectId', 'details'])
    .orderBy('seq')
    .execute();
  const acts = entries.filter(({ subjectId }) => subjectId === holder.id || subjectId === id);
  expect(acts.map(({ action, details }) => [action, JSON.parse(details) as unknown])).toEqual([
    ['users.request-key', { reason, approval: expect.any(String) }],
    ['approvals.approve', expect.objectContaining({ kind: 'reveal', requestedBy: 'ann' })],
    ['users.open-key', { reason, approvedBy: 'ben' }],
  ]);
  const { json } = await server.call('GET', '/api/users/opened-keys', { token: tokens.ben });
  const [newest] = json['opened'] as object[];
  const { id: uuid, userId, username } = holder;
  expect(newest).toMatchObject({
    user: { id: uuid, userId, username },
    reason,
    openedBy: 'ann',
    approvedBy: 'ben',
  });
  expect(logged.length).toBeGreaterThan(0);
  const stored = await db.owner.selectFrom('approval').select('payload').where('subjectId', '=', id).execute();
  const everything = JSON.stringify([entries, json, stored, logged]);
  expect(everything).not.toContain(holder.privateKey);
});

test('requesting and opening need a recent proof of who the administrator is', async () => {
  await using strict = await testServer(db.url, { BURSAR_STEP_UP_MINUTES: '5' });
  const { id } = await approved(holder.id);
  await startSessionsAgo(db.owner, ann.id, 301_000);
  const another = await addHolder();
  const again = { token: tokens.ann, body: { reason } };
  expect(refusalOf(await strict.call('POST', `/api/users/${another.id}/key-reveal`, again))).toEqual([
    403,
    'StepUpRequired',
  ]);
  expect(refusalOf(await open(id, 'ann', strict))).toEqual([403, 'StepUpRequired']);
  expect((await open(id)).status).toBe(200);
});

test('the single administrator of an installation approves and opens alone', async () => {
  await using alone = await testServer(db.url, { BURSAR_ALONE_AFTER_SECONDS: '0' });
  const reveal = await requested(holder.id);
  expect((await decideOn(alone, reveal.approval, { token: tokens.ann })).status).toBe(200);
  expect((await open(reveal.id, 'ann', alone)).json).toEqual({ privateKey: holder.privateKey });
});

test('no statement of a process opens a key without an approval, for another user, or twice', async () => {
  const asApp = (statement: ReturnType<typeof sql>) => db.database.transaction().execute((tx) => statement.execute(tx));
  const opening = (reveal: string, by = ann.id) => asApp(sql`select open_user_key(${reveal}, ${by})`);
  const { rows } = await asApp(
    sql`insert into key_reveal (user_id, requested_by, reason) values (${holder.id}, ${ann.id}, 'mine') returning id`,
  );
  const [own] = rows as [{ id: string }];
  await expect(opening(own.id)).rejects.toMatchObject({ code: 'BU001', message: 'RevealNotApproved' });
  const { id } = await approved(holder.id);
  await expect(asApp(sql`update key_reveal set opened_at = now()`)).rejects.toMatchObject({ code: '42501' });
  await expect(asApp(sql`update key_reveal set user_id = ${holder.id} where id = ${id}`)).rejects.toMatchObject({
    code: '42501',
  });
  await expect(
    asApp(sql`insert into key_reveal (user_id, requested_by, reason, opened_at)
      values (${holder.id}, ${ann.id}, 'mine', now())`),
  ).rejects.toMatchObject({ code: '42501' });
  const asOwner = (statement: ReturnType<typeof sql>) => statement.execute(db.owner);
  const another = await addHolder();
  await expect(asOwner(sql`update key_reveal set user_id = ${another.id} where id = ${id}`)).rejects.toMatchObject({
    code: 'BU002',
  });
  await opening(id);
  await expect(opening(id)).rejects.toMatchObject({ code: 'BU001', message: 'KeyOpened' });
  await expect(asOwner(sql`update key_reveal set opened_at = null where id = ${id}`)).rejects.toMatchObject({
    message: 'KeyOpened',
  });
});
