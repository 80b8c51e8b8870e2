import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { runCommand } from '#server/core/testing/process.ts';
import { addAdmin, testPassword } from '#server/core/testing/server.ts';

const { db, server } = await testEnvironment();

let added = 0;
async function superAdmin() {
  added += 1;
  const { id, username } = await addAdmin(db.database, { username: `super${added}`, role: 'SuperAdmin' });
  return { id, username, token: await server.signIn(username) };
}
type SuperAdmin = Awaited<ReturnType<typeof superAdmin>>;

const maker = await superAdmin();
const approver = await superAdmin();
const reason = 'Lost the phone and the password.';

const request = (by: SuperAdmin, id: string) =>
  server.call('POST', `/api/admin/${id}/recover`, { token: by.token, body: { reason } });
const complete = (by: SuperAdmin, id: string) =>
  server.call('POST', `/api/admin/recoveries/${id}/complete`, { token: by.token });
const list = async (by: SuperAdmin) =>
  (await server.call('GET', '/api/admin/recoveries', { token: by.token })).json['recoveries'] as { id: string }[];

async function decide(by: SuperAdmin, approval: string, decision = 'approve') {
  const { json } = await server.call('GET', `/api/approvals/${approval}`, { token: by.token });
  const { digest } = json['approval'] as { digest: string };
  const body = { decision, digest, ...(decision === 'deny' && { reason: 'Not asked for.' }) };
  return server.call('POST', `/api/approvals/${approval}/decide`, { token: by.token, body });
}

async function requested(id: string) {
  const { json } = await request(maker, id);
  const { approval } = json['waiting'] as { approval: string };
  const recovery = await db.owner
    .selectFrom('adminRecovery')
    .select('id')
    .where('approvalId', '=', approval)
    .executeTakeFirstOrThrow();
  return { approval, id: recovery.id };
}

const signIn = (username: string, password: string) =>
  server.call('POST', '/api/admin/login', { body: { username, password } });

test('two Super Admins recover a third: the requester gets a temporary password once, after the approval', async () => {
  const lost = await superAdmin();
  const recovery = await requested(lost.id);
  expect((await complete(maker, recovery.id)).json['code']).toBe('RecoveryNotApproved');
  expect((await request(maker, lost.id)).json['code']).toBe('RecoveryWaits');
  expect((await decide(maker, recovery.approval)).json['code']).toBe('OwnRequest');
  expect((await decide(lost, recovery.approval)).json['code']).toBe('OwnAccount');
  expect((await server.call('GET', '/api/auth/me', { token: lost.token })).status).toBe(200);
  expect((await decide(approver, recovery.approval)).status).toBe(200);

  expect((await complete(approver, recovery.id)).json['code']).toBe('RecoveryNotFound');
  const { status, json, headers } = await complete(maker, recovery.id);
  expect(status).toBe(200);
  expect(headers.get('cache-control')).toBe('no-store');
  const password = String(json['password']);
  expect(json).toEqual({ username: lost.username, password: expect.stringMatching(/^([a-z2-9]{5}-){3}[a-z2-9]{5}$/) });
  expect((await complete(maker, recovery.id)).json['code']).toBe('RecoveryCompleted');

  expect((await server.call('GET', '/api/auth/me', { token: lost.token })).status).toBe(401);
  expect((await signIn(lost.username, testPassword)).status).toBe(401);
  const back = await signIn(lost.username, password);
  const me = await server.call('GET', '/api/auth/me', { token: String(back.json['token']) });
  expect(me.json['me']).toMatchObject({ username: lost.username, mustChangePassword: true });
});

test('a recovery is audited and shown to every Super Admin, without the password', async () => {
  const lost = await superAdmin();
  const recovery = await requested(lost.id);
  expect(await list(approver)).not.toContainEqual(expect.objectContaining({ id: recovery.id }));
  await decide(approver, recovery.approval);
  const shown = {
    id: recovery.id,
    admin: { id: lost.id, username: lost.username },
    reason,
    requestedBy: maker.username,
    approvedBy: approver.username,
    recoveredAt: null,
  };
  expect(await list(approver)).toContainEqual(shown);
  const { json } = await complete(maker, recovery.id);
  expect(await list(approver)).toContainEqual({ ...shown, recoveredAt: expect.stringMatching(/Z$/) });
  const { rows } = await sql<{ text: string }>`
    select audit_entry::text as text from audit_entry where subject_id = ${lost.id} order by seq`.execute(db.owner);
  const log = rows.map(({ text }) => text).join('\n');
  for (const action of ['admins.request-recovery', 'approvals.approve', 'admins.recover'])
    expect(log).toContain(action);
  expect(log).toContain(reason);
  expect(log).not.toContain(String(json['password']));
});

test('a recovered account approves nothing until its password is changed and another approver has confirmed it', async () => {
  const lost = await superAdmin();
  const recovery = await requested(lost.id);
  await decide(approver, recovery.approval);
  const { json } = await complete(maker, recovery.id);
  const password = String(json['password']);
  const back = await signIn(lost.username, password);
  const changed = await server.call('POST', '/api/auth/password', {
    token: String(back.json['token']),
    body: { currentPassword: password, newPassword: 'another quiet phrase' },
  });
  const recovered = { ...lost, token: String(changed.json['token']) };

  const other = await superAdmin();
  const theirs = await requested(other.id);
  expect((await decide(recovered, theirs.approval)).json['code']).toBe('AccountUnconfirmed');
  const confirmation = await db.owner
    .selectFrom('approval')
    .select('id')
    .where('kind', '=', 'account')
    .where('subjectId', '=', lost.id)
    .where('state', '=', 'waiting')
    .executeTakeFirstOrThrow();
  expect((await decide(maker, confirmation.id)).json['code']).toBe('OwnRequest');
  expect((await decide(approver, confirmation.id)).status).toBe(200);
  expect((await decide(recovered, theirs.approval)).status).toBe(200);
});

test('a denied or expired recovery gives no password, and can be requested again', async () => {
  const lost = await superAdmin();
  const denied = await requested(lost.id);
  expect((await decide(lost, denied.approval, 'deny')).status).toBe(200);
  expect((await complete(maker, denied.id)).json['code']).toBe('RecoveryNotApproved');

  const late = await requested(lost.id);
  await decide(approver, late.approval);
  await sql`alter table approval disable trigger approval_stays_decided`.execute(db.owner);
  await sql`update approval set requested_at = now() - interval '25 hours', expires_at = now() - interval '1 hour'
    where id = ${late.approval}`.execute(db.owner);
  await sql`alter table approval enable trigger approval_stays_decided`.execute(db.owner);
  expect((await complete(maker, late.id)).json['code']).toBe('RecoveryExpired');
  expect((await server.call('GET', '/api/auth/me', { token: lost.token })).status).toBe(200);
  expect((await request(maker, lost.id)).status).toBe(200);
});

test('nobody recovers their own account, one that does not exist, or without the permission', async () => {
  expect((await request(maker, maker.id)).json['code']).toBe('RecoveryOfOwnAccount');
  expect((await request(maker, '019c0000-0000-7000-8000-000000000000')).status).toBe(404);
  const plain = await addAdmin(db.database, { username: 'plain' });
  const token = await server.signIn('plain');
  expect((await request({ ...plain, token }, maker.id)).status).toBe(403);
  expect((await server.call('GET', '/api/admin/recoveries', { token })).status).toBe(403);
});

test('two concurrent calls show the password once', async () => {
  const lost = await superAdmin();
  const recovery = await requested(lost.id);
  await decide(approver, recovery.approval);
  const answers = await Promise.all([complete(maker, recovery.id), complete(maker, recovery.id)]);
  expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
});

test('an approval that was written to the database recovers nobody', async () => {
  const lost = await superAdmin();
  const recovery = await requested(lost.id);
  await sql`update approval set state = 'approved', rule = 'second', decided_at = now(), decided_by = ${approver.id}
    where id = ${recovery.approval}`.execute(db.database);
  expect((await complete(maker, recovery.id)).json['code']).toBe('RecoveryNotApproved');
});

test('a recovery is of the account that was approved, with its role', async () => {
  const lost = await addAdmin(db.database, { username: 'rising' });
  const recovery = await requested(lost.id);
  await decide(approver, recovery.approval);
  await sql`update admin set role = 'SuperAdmin' where id = ${lost.id}`.execute(db.owner);
  expect((await complete(maker, recovery.id)).json['code']).toBe('RecoveryOutdated');
});

test('a recovered account is no longer linked to its identity at the provider of single sign-on', async () => {
  const lost = await superAdmin();
  const other = await superAdmin();
  await sql`insert into sso_identity (admin_id, issuer, subject, seal)
    select id, 'https://id.example.com', username, sha256('any') from admin where id in (${lost.id}, ${other.id})`.execute(
    db.owner,
  );
  const unlink = (id: string) => sql`select release_sso_identity(${id})`.execute(db.database);
  await unlink(lost.id);
  const recovery = await requested(lost.id);
  await decide(approver, recovery.approval);
  expect((await complete(maker, recovery.id)).status).toBe(200);
  const linked = await db.owner.selectFrom('ssoIdentity').select('adminId').execute();
  expect(linked).toEqual([{ adminId: other.id }]);
  await expect(sql`delete from sso_identity`.execute(db.database)).rejects.toMatchObject({ code: '42501' });
});

test('a deleted administrator is not recovered', async () => {
  const { id } = await addAdmin(db.database, { username: 'leaver', permissionSet: 'Support' });
  const recovery = await requested(id);
  await server.call('POST', '/api/admin/delete', { token: maker.token, body: { username: 'leaver' } });
  expect((await decide(approver, recovery.approval)).json['code']).toBe('ApprovalDecided');
  expect((await complete(maker, recovery.id)).status).toBe(409);
});

test('the database refuses to complete a recovery that nobody has approved', async () => {
  const lost = await superAdmin();
  const recovery = await requested(lost.id);
  const inSql = (statement: ReturnType<typeof sql>) => db.database.transaction().execute((tx) => statement.execute(tx));
  const completed = sql`update admin_recovery set recovered_at = now() where id = ${recovery.id}`;
  await expect(inSql(completed)).rejects.toMatchObject({ code: 'BU001', message: 'RecoveryNotApproved' });
  await expect(inSql(sql`delete from admin_recovery`)).rejects.toMatchObject({ code: '42501' });
  await expect(inSql(sql`update admin_recovery set reason = 'Another'`)).rejects.toMatchObject({ code: '42501' });
});

test('the command line recovers an administrator, which is audited and shown to every Super Admin', async () => {
  const lost = await superAdmin();
  const waiting = await requested(lost.id);
  const recover = (username: string, password: string) =>
    runCommand(db.url, ['admin', 'recover', '--username', username], { input: `${password}\n` });
  const password = 'a phrase from the terminal';
  expect(await recover(lost.username, password)).toMatchObject({
    code: 0,
    stdout: `${lost.username} can sign in within 72 hours, and will be asked for a new password.\n`,
  });
  expect((await server.call('GET', '/api/auth/me', { token: lost.token })).status).toBe(401);
  expect((await signIn(lost.username, password)).status).toBe(200);
  expect((await decide(approver, waiting.approval)).json['code']).toBe('ApprovalDecided');
  expect(await list(approver)).toContainEqual(
    expect.objectContaining({ admin: { id: lost.id, username: lost.username }, requestedBy: null, approvedBy: null }),
  );
  const entry = await db.owner
    .selectFrom('auditEntry')
    .select(['actorId', 'action'])
    .where('subjectId', '=', lost.id)
    .orderBy('seq', 'desc')
    .executeTakeFirst();
  expect(entry).toEqual({ actorId: null, action: 'admins.recover' });
  expect(await recover('nobody', password)).toMatchObject({ code: 1, stderr: 'There is no such administrator.\n' });
  expect(await recover(lost.username, 'short')).toMatchObject({ code: 1 });
}, 60_000);
