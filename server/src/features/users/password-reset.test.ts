import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addUser } from '#server/core/testing/user.ts';

const { db, server } = await testEnvironment();
const ann = await addAdmin(db.database, { username: 'ann' });
await addAdmin(db.database, { username: 'sue', permissionSet: 'Support' });
const token = await server.signIn('ann');
const reason = 'Wrote from a strange address';

const reset = (id: string, as = token, body: object = { reason }) =>
  server.call('POST', `/api/users/${id}/reset-password`, { token: as, body });

test('a reset deletes password and token, tells the platform, and is audited', async () => {
  const { id, userId, username } = await addUser(db.owner);
  const secrets = { userId: id, passwordHash: '$argon2id$canary', tokenDigest: Buffer.from('digest') };
  await db.owner.transaction().execute((tx) => tx.insertInto('userSecret').values(secrets).execute());
  const { status, json, text } = await reset(id);
  expect([status, json['user']]).toMatchObject([
    200,
    { password: 'none', token: 'absent', passwordResetAt: expect.any(String), version: 2 },
  ]);
  const kept = await db.owner.selectFrom('userSecret').selectAll().where('userId', '=', id).execute();
  expect(kept).toMatchObject([{ passwordHash: null, tokenDigest: null }]);

  const events = await db.owner
    .selectFrom('platformEvent')
    .select(['type', 'data'])
    .where('subjectId', '=', id)
    .execute();
  expect(events).toMatchObject([
    { type: 'user.changed', data: { userUuid: id, userId, username, changed: ['password'], isDeleted: false } },
  ]);
  const acts = await db.owner.selectFrom('auditEntry').selectAll().where('subjectId', '=', id).execute();
  expect(acts).toMatchObject([
    { action: 'users.reset-password', actorId: ann.id, details: JSON.stringify({ reason }) },
  ]);
  expect(JSON.stringify([text, events, acts.map(({ details }) => details)])).not.toContain('canary');
});

test('a user of whom no password is stored can be reset too, because the platform owns the sign-in', async () => {
  const { id } = await addUser(db.owner);
  const { json } = await reset(id);
  expect(json['user']).toMatchObject({ password: 'none', passwordResetAt: expect.any(String) });
});

test('a reset needs the permission to edit users, a reason, and a user who was not deleted', async () => {
  const { id } = await addUser(db.owner);
  expect((await reset(id, await server.signIn('sue'))).status).toBe(403);
  expect((await reset(id, token, {})).status).toBe(400);
  await server.call('POST', `/api/users/${id}/delete`, { token });
  const { status, json } = await reset(id);
  expect([status, json['code']]).toEqual([404, 'UserNotFound']);
});
