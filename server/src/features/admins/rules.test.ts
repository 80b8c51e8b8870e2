import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import type { Role } from 'contract/core/permissions.ts';
import type { Database } from '#server/core/db/db.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { lockAdmin, lockAdminByName } from './queries.ts';
import { decideOn } from '#server/core/testing/second.ts';
import { addAdmin, testPassword, testServer } from '#server/core/testing/server.ts';

const { db, server } = await testEnvironment();
const second = await testServer(db.url);
afterAll(() => second[Symbol.asyncDispose]());

await addAdmin(db.database, { username: 'keeper', role: 'SuperAdmin' });
const token = await server.signIn('keeper');

const connections: [string, Database][] = [
  ['the application', db.database],
  ['the owner of the tables', db.owner],
];

const inSql = (database: Database, statement: string) =>
  database.transaction().execute((tx) => sql.raw(statement).execute(tx));

async function superAdmins() {
  const rows = db.owner
    .selectFrom('admin')
    .select('username')
    .where('role', '=', 'SuperAdmin')
    .where('retiredAt', 'is', null);
  return (await rows.execute()).length;
}

test.each(connections)('%s cannot retire a SuperAdmin in SQL', async (_who, database) => {
  const retired = inSql(database, `update admin set retired_at = now() where username = 'keeper'`);
  await expect(retired).rejects.toMatchObject({ code: 'BU001', message: 'SuperAdminUndeletable' });
});

test.each(connections)('%s cannot demote the last SuperAdmin in SQL', async (_who, database) => {
  const lowered = inSql(database, `update admin set role = 'Admin' where username = 'keeper'`);
  await expect(lowered).rejects.toMatchObject({ code: 'BU001', message: 'LastSuperAdmin' });
});

test.each(connections)('%s cannot demote all SuperAdmins in one statement', async (_who, database) => {
  await addAdmin(db.database, { username: `also.${_who.length}`, role: 'SuperAdmin' });
  const lowered = inSql(database, `update admin set role = 'Admin'`);
  // The application cannot demote anybody without an approval.
  const message = database === db.owner ? 'LastSuperAdmin' : 'NotDecided';
  await expect(lowered).rejects.toMatchObject({ message });
  expect(await superAdmins()).toBeGreaterThan(1);
  await inSql(db.owner, `update admin set role = 'Admin' where username like 'also.%'`);
});

test.each([
  ['the application', db.database, '42501'],
  ['the owner of the tables', db.owner, 'BU002'],
] as const)('%s cannot delete or truncate administrators in SQL', async (_who, database, code) => {
  await expect(inSql(database, 'delete from admin')).rejects.toMatchObject({ code });
  await expect(inSql(database, 'truncate admin cascade')).rejects.toMatchObject({ code });
});

test('the worker can neither write administrators nor read credentials', async () => {
  await expect(inSql(db.worker, `update admin set username = 'taken'`)).rejects.toMatchObject({ code: '42501' });
  await expect(inSql(db.worker, 'select * from admin_credential')).rejects.toMatchObject({ code: '42501' });
});

test.each(connections)('%s cannot give a SuperAdmin a permission set in SQL', async (_who, database) => {
  const narrowed = inSql(database, `update admin set permission_set = 'Support' where username = 'keeper'`);
  await expect(narrowed).rejects.toMatchObject({ constraint: 'admin_super_is_not_narrowed' });
});

test('the last SuperAdmin cannot step down, and the refusal says why', async () => {
  const { json } = await server.call('GET', '/api/admin/all', { token });
  const [keeper] = json['admins'] as { id: string; version: number }[];
  const body = { version: keeper?.version, role: 'Admin' };
  const answer = await server.call('PATCH', `/api/admin/${keeper?.id}`, { token, body });
  expect(answer.status).toBe(409);
  expect(answer.json['code']).toBe('LastSuperAdmin');
  expect(answer.json['error']).toBe('The last Super Admin can’t give up the role.');
});

test('two SuperAdmins step down concurrently: one of them remains, every time', async () => {
  for (let round = 0; round < 25; round += 1) {
    const pair = await Promise.all(
      ['left', 'right'].map((name) => addAdmin(db.database, { username: `${name}${round}`, role: 'SuperAdmin' })),
    );
    await inSql(db.owner, `update admin set role = 'Admin' where username = 'keeper'`);
    const stepDown = ({ id }: { id: string }) => inSql(db.owner, `update admin set role = 'Admin' where id = '${id}'`);
    const results = await Promise.allSettled(pair.map(stepDown));
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await superAdmins()).toBe(1);
    await inSql(db.owner, `update admin set role = 'SuperAdmin' where username = 'keeper'`);
    await inSql(db.owner, `update admin set role = 'Admin' where username in ('left${round}', 'right${round}')`);
  }
});

/** Requests the change of role and returns the id of the request. */
async function requestRole(id: string, role: Role, by: string) {
  const { version } = (await server.call('GET', `/api/admin/${id}`, { token: by })).json['admin'] as {
    version: number;
  };
  const { json } = await server.call('PATCH', `/api/admin/${id}`, { token: by, body: { version, role } });
  return (json['waiting'] as { approval: string }).approval;
}

test('two SuperAdmins approve each other’s demotion concurrently on two servers: one remains', async () => {
  for (let round = 0; round < 5; round += 1) {
    const [ann, bea] = [
      await addAdmin(db.database, { username: `ann${round}`, role: 'SuperAdmin' }),
      await addAdmin(db.database, { username: `bea${round}`, role: 'SuperAdmin' }),
    ];
    const [annToken, beaToken] = [await server.signIn(ann.username), await second.signIn(bea.username)];
    await inSql(db.owner, `update admin set role = 'Admin' where username = 'keeper'`);
    const [annSteps, beaSteps] = [
      await requestRole(ann.id, 'Admin', annToken),
      await requestRole(bea.id, 'Admin', beaToken),
    ];
    const answers = await Promise.all([
      decideOn(server, beaSteps, { token: annToken }),
      decideOn(second, annSteps, { token: beaToken }),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.every(({ status }) => status < 500)).toBe(true);
    expect(await superAdmins()).toBe(1);
    await inSql(db.owner, `update admin set role = 'SuperAdmin' where username = 'keeper'`);
    await inSql(db.owner, `update admin set role = 'Admin' where id in ('${ann.id}', '${bea.id}')`);
  }
});

test('two concurrent creations of the same name: one succeeds, the other is refused', async () => {
  for (let round = 0; round < 5; round += 1) {
    const body = { username: `same${round}`, password: testPassword, confirmPassword: testPassword, role: 'Admin' };
    const shouted = { ...body, username: `SAME${round}` };
    const answers = await Promise.all([
      server.call('POST', '/api/admin/signup', { token, body }),
      second.call('POST', '/api/admin/signup', { token, body: shouted }),
    ]);
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
    expect(answers.find(({ status }) => status === 409)?.json['code']).toBe('UsernameTaken');
  }
});

test('two concurrent deletions of the same administrator: one succeeds, the other gets not found', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id, username } = await addAdmin(db.database, { username: `target${round}`, permissionSet: 'Support' });
    const remove = (on: typeof server) => on.call('POST', '/api/admin/delete', { token, body: { username } });
    const answers = await Promise.all([remove(server), remove(second)]);
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '404']);
    expect(answers.find(({ status }) => status === 404)?.json['code']).toBe('AdminNotFound');
    const rows = db.owner
      .selectFrom('auditEntry')
      .select('seq')
      .where('subjectId', '=', id)
      .where('action', '=', 'admins.delete');
    expect(await rows.execute()).toHaveLength(1);
  }
});

test('two concurrent deletions of the same approver: one is requested, the other is refused', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id, username } = await addAdmin(db.database, { username: `approves${round}` });
    const remove = (on: typeof server) => on.call('POST', '/api/admin/delete', { token, body: { username } });
    const answers = await Promise.all([remove(server), remove(second)]);
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
    expect(answers.find(({ status }) => status === 409)?.json['code']).toBe('RemovalWaits');
    const waiting = db.owner.selectFrom('approval').select('id').where('subjectId', '=', id);
    expect(await waiting.where('kind', '=', 'removal').execute()).toHaveLength(1);
  }
});

test('two concurrent changes of the same administrator: one succeeds, the other gets a conflict', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id } = await addAdmin(db.database, { username: `both${round}`, permissionSet: 'Auditor' });
    const change = (on: typeof server, permissionSet: string) =>
      on.call('PATCH', `/api/admin/${id}`, { token, body: { version: 1, permissionSet } });
    const answers = await Promise.all([change(server, 'Support'), change(second, 'Finance')]);
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
    expect(answers.find(({ status }) => status === 409)?.json['code']).toBe('AdminConflict');
  }
});

test('an administrator promoted and deleted concurrently is either deleted or a SuperAdmin, never both', async () => {
  await addAdmin(db.database, { username: 'approver', role: 'SuperAdmin' });
  const approver = await second.signIn('approver');
  for (let round = 0; round < 5; round += 1) {
    const { id, username } = await addAdmin(db.database, { username: `either${round}`, permissionSet: 'Support' });
    const body = { version: 1, role: 'SuperAdmin' };
    const { json } = await second.call('PATCH', `/api/admin/${id}`, { token, body });
    const { approval } = json['waiting'] as { approval: string };
    const answers = await Promise.all([
      server.call('POST', '/api/admin/delete', { token, body: { username } }),
      decideOn(second, approval, { token: approver }),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.every(({ status }) => status < 500)).toBe(true);
    await inSql(db.owner, `update admin set role = 'Admin' where id = '${id}'`);
  }
});

test('an administrator can act while their row is locked for a change', async () => {
  const { id, username } = await addAdmin(db.database, { username: 'acting' });
  const acting = await server.signIn(username);
  const body = { type: 'Meanwhile', description: 'While being changed' };
  await db.database.transaction().execute(async (tx) => {
    await lockAdmin(tx, id);
    await lockAdminByName(tx, username);
    expect((await server.call('POST', '/api/tickets', { token: acting, body })).status).toBe(200);
  });
});
