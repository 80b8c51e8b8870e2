import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '#server/core/testing/database.ts';
import { addAdmin, testServer } from '#server/core/testing/server.ts';
import { seedDemoAdmins } from './demo.ts';

const password = 'the first long phrase';
const first = { BURSAR_FIRST_ADMIN_USERNAME: 'founder', BURSAR_FIRST_ADMIN_PASSWORD: password };

let db: TestDatabase;
beforeEach(async () => {
  db = await testDatabase();
});
afterEach(() => db[Symbol.asyncDispose]());

const admins = () => db.owner.selectFrom('admin').select(['username', 'role']).orderBy('createdAt').execute();

test('an empty installation has no administrator, and the demo sign-in does not work', async () => {
  await using server = await testServer(db.url);
  expect(await admins()).toEqual([]);
  const body = { username: 'admin', password: 'welcome-to-bursar' };
  expect((await server.call('POST', '/api/admin/login', { body })).status).toBe(401);
});

test('the first start creates the configured SuperAdmin with a temporary password', async () => {
  await using server = await testServer(db.url, first);
  expect(await admins()).toEqual([{ username: 'founder', role: 'SuperAdmin' }]);
  const { json } = await server.call('POST', '/api/admin/login', { body: { username: 'founder', password } });
  const me = await server.call('GET', '/api/auth/me', { token: String(json['token']) });
  expect(me.json['me']).toMatchObject({ role: 'SuperAdmin', mustChangePassword: true });
});

test('processes that start concurrently for the first time create one SuperAdmin, and all of them start', async () => {
  const servers = await Promise.all(Array.from({ length: 4 }, () => testServer(db.url, first)));
  await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
  expect(await admins()).toEqual([{ username: 'founder', role: 'SuperAdmin' }]);
});

test('an installation that has an administrator ignores the configured first administrator', async () => {
  await addAdmin(db.database, { username: 'ann' });
  await using _server = await testServer(db.url, first);
  expect(await admins()).toEqual([{ username: 'ann', role: 'Admin' }]);
});

test('a common first password prevents the start', async () => {
  const weak = { ...first, BURSAR_FIRST_ADMIN_PASSWORD: 'Password12345' };
  await expect(testServer(db.url, weak)).rejects.toThrow('PasswordTooCommon');
  expect(await admins()).toEqual([]);
});

test('the demo is loaded only into an empty database', async () => {
  expect(await seedDemoAdmins(db.owner)).toEqual({ username: 'admin', password: 'welcome-to-bursar' });
  const before = await admins();
  expect(before).toHaveLength(6);
  expect(await seedDemoAdmins(db.owner)).toBeUndefined();
  expect(await admins()).toEqual(before);
});
