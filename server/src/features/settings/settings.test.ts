import { afterAll, expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin, testServer } from '#server/core/testing/server.ts';
import { openStream } from '#server/core/testing/stream.ts';

const { db, server } = await testEnvironment();
const second = await testServer(db.url);
afterAll(() => second[Symbol.asyncDispose]());

let made = 0;
async function signedInAdmin(permissionSet?: 'Support' | 'Finance' | 'Auditor') {
  made += 1;
  const username = `user${made}`;
  const { id } = await addAdmin(db.database, { username, ...(permissionSet && { permissionSet }) });
  return { id, token: await server.signIn(username) };
}

const given = { fullName: 'Ann Lee', email: 'ann@example.com', theme: 'dark', notifications: true };
const read = async (token: string) => (await server.call('GET', '/api/settings', { token })).json['settings'];
const save = (token: string, body: object, on = server) => on.call('POST', '/api/settings', { token, body });

test('before anything is saved the settings are empty, at version 0', async () => {
  const { token } = await signedInAdmin();
  expect(await read(token)).toEqual({
    fullName: '',
    email: '',
    theme: 'light',
    notifications: false,
    version: 0,
    updatedAt: null,
  });
});

test('saved settings are returned when read again, and each save increments the version', async () => {
  const { token } = await signedInAdmin();
  const first = await save(token, { ...given, version: 0 });
  expect(first.status).toBe(200);
  expect(first.json['settings']).toEqual({ ...given, version: 1, updatedAt: expect.stringMatching(/Z$/) });
  expect(await read(token)).toEqual(first.json['settings']);
  const changed = { ...given, email: 'lee@example.com', notifications: false };
  expect((await save(token, { ...changed, version: 1 })).json['settings']).toMatchObject({ ...changed, version: 2 });
  expect(await read(token)).toMatchObject({ ...changed, version: 2 });
});

test('saving changes only the settings of the signed-in administrator', async () => {
  const [one, other] = [await signedInAdmin(), await signedInAdmin()];
  await save(one.token, { ...given, version: 0 });
  expect(await read(other.token)).toMatchObject({ fullName: '', version: 0 });
});

test.each(['Support', 'Finance', 'Auditor'] as const)(
  'an Admin narrowed to %s can save settings',
  async (permissionSet) => {
    const { token } = await signedInAdmin(permissionSet);
    expect((await save(token, { ...given, version: 0 })).status).toBe(200);
  },
);

test.each([
  ['no name', { fullName: '   ' }],
  ['a name that is too long', { fullName: 'x'.repeat(121) }],
  ['no email', { email: '' }],
  ['an invalid email', { email: 'ann at example' }],
  ['an unknown theme', { theme: 'sepia' }],
  ['notifications that are not a boolean', { notifications: 'on' }],
  ['the id of another administrator', { adminId: '019c0000-0000-7000-8000-000000000000' }],
  ['a zero byte', { fullName: 'Ann\u0000' }],
])('settings with %s are refused and nothing is stored', async (_what, change) => {
  const { token } = await signedInAdmin();
  expect((await save(token, { ...given, version: 0, ...change })).status).toBe(400);
  expect(await read(token)).toMatchObject({ version: 0 });
});

test('spaces around the name and the email are trimmed', async () => {
  const { token } = await signedInAdmin();
  await save(token, { ...given, fullName: '  Ann Lee ', email: ' ann@example.com ', version: 0 });
  expect(await read(token)).toMatchObject({ fullName: 'Ann Lee', email: 'ann@example.com' });
});

test('a save based on an outdated version is refused with an explanation', async () => {
  const { token } = await signedInAdmin();
  await save(token, { ...given, version: 0 });
  for (const version of [0, 2]) {
    const { status, json } = await save(token, { ...given, fullName: 'Overwritten', version });
    expect(status).toBe(409);
    expect(json).toMatchObject({
      code: 'SettingsConflict',
      error: 'These settings were saved in another window. Check the new values and save again.',
    });
  }
  expect(await read(token)).toMatchObject({ fullName: 'Ann Lee', version: 1 });
});

test('two windows save concurrently: one succeeds, the other is refused, at the first save too', async () => {
  const { token } = await signedInAdmin();
  for (let version = 0; version < 8; version += 1) {
    const answers = await Promise.all([
      save(token, { ...given, fullName: 'Here', version }),
      save(token, { ...given, fullName: 'There', version }, second),
    ]);
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
    const kept = answers.find(({ status }) => status === 200)?.json['settings'];
    expect(await read(token)).toEqual(kept);
  }
});

test('the audit log records the settings before and after', async () => {
  const { id, token } = await signedInAdmin();
  await save(token, { ...given, version: 0 });
  await save(token, { ...given, theme: 'light', version: 1 });
  const acts = await db.owner
    .selectFrom('auditEntry')
    .select(['actorId', 'subjectId', 'details'])
    .where('action', '=', 'settings.save')
    .where('subjectId', '=', id)
    .orderBy('seq')
    .execute();
  expect(acts.map(({ actorId }) => actorId)).toEqual([id, id]);
  expect(JSON.parse(acts[1]?.details ?? '')).toEqual({ before: given, after: { ...given, theme: 'light' } });
});

test('the other windows of the administrator are notified', async () => {
  const { id, token } = await signedInAdmin();
  const stream = await openStream(second.address, { authorization: `Bearer ${token}` });
  await save(token, { ...given, version: 0 });
  await stream.heard({ feature: 'settings', id });
  await stream.close();
});
