import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { approved, decideOn } from '#server/core/testing/second.ts';
import { addAdmin, testPassword } from '#server/core/testing/server.ts';

const { db, server } = await testEnvironment();
const root = await addAdmin(db.database, { username: 'root', role: 'SuperAdmin' });
const token = await server.signIn('root');
const second = await addAdmin(db.database, { username: 'second', role: 'SuperAdmin' });
const secondToken = await server.signIn('second');

const signUp = (body: Record<string, unknown>) => server.call('POST', '/api/admin/signup', { token, body });
const remove = (username: string) => server.call('POST', '/api/admin/delete', { token, body: { username } });
const change = (id: string, body: Record<string, unknown>) => server.call('PATCH', `/api/admin/${id}`, { token, body });
const newcomer = (username: string) => ({
  username,
  password: testPassword,
  confirmPassword: testPassword,
  role: 'Admin',
});
const listed = async () =>
  (await server.call('GET', '/api/admin/all', { token })).json['admins'] as { username: string }[];

test('the list shows every administrator, oldest first, with only the fields that the panel shows', async () => {
  await addAdmin(db.database, { username: 'lee', permissionSet: 'Support' });
  expect(await listed()).toEqual([
    {
      id: root.id,
      username: 'root',
      role: 'SuperAdmin',
      createdAt: root.createdAt.toISOString(),
      permissionSet: null,
      version: 1,
    },
    {
      id: second.id,
      username: 'second',
      role: 'SuperAdmin',
      createdAt: second.createdAt.toISOString(),
      permissionSet: null,
      version: 1,
    },
    {
      id: expect.any(String),
      username: 'lee',
      role: 'Admin',
      createdAt: expect.any(String),
      permissionSet: 'Support',
      version: 1,
    },
  ]);
});

test('a created administrator is returned, listed, and must change the password at the first sign-in', async () => {
  const { status, json } = await signUp(newcomer('ann'));
  expect(status).toBe(200);
  expect(json['admin']).toMatchObject({ username: 'ann', role: 'Admin', permissionSet: null, version: 1 });
  expect(await listed()).toContainEqual(json['admin']);
  const me = await server.call('GET', '/api/auth/me', { token: await server.signIn('ann') });
  expect(me.json['me']).toMatchObject({ username: 'ann', mustChangePassword: true });
});

const tooCommon = 'This password is too easy to guess. Choose another.';
const notAName =
  'Username must have 3 to 32 letters, digits, dots, dashes or underscores, and start with a letter or digit.';

test.each([
  {
    what: 'passwords that differ',
    wrong: { confirmPassword: 'another long phrase' },
    expected: [422, "Passwords don't match"],
  },
  {
    what: 'a common password',
    wrong: { password: 'Password12345', confirmPassword: 'Password12345' },
    expected: [422, tooCommon],
  },
  {
    what: 'a short password',
    wrong: { password: 'short', confirmPassword: 'short' },
    expected: [400, 'Password must have at least 12 characters.'],
  },
  { what: 'a name with a space', wrong: { username: 'an n' }, expected: [400, notAName] },
  { what: 'a look-alike name', wrong: { username: 'аnn' }, expected: [400, notAName] },
  {
    what: 'an unknown role',
    wrong: { role: 'Super Admin' },
    expected: [400, 'Role must be Admin or SuperAdmin.'],
  },
  { what: 'no role', wrong: { role: undefined }, expected: [400, 'Role is required.'] },
  {
    what: 'an unknown field',
    wrong: { permissionSet: 'Support' },
    expected: [400, 'The request has a field that is not known: permissionSet.'],
  },
  { what: 'a taken name', wrong: { username: 'ROOT' }, expected: [409, 'That username is already taken.'] },
])('signing up with $what is refused and creates no administrator', async ({ wrong, expected }) => {
  const before = await listed();
  const { status, json } = await signUp({ ...newcomer('wrong'), ...wrong });
  expect([status, json['error']]).toEqual(expected);
  expect(await listed()).toEqual(before);
});

test('a deleted administrator is no longer listed, and a new administrator can use the name', async () => {
  const first = (await signUp(newcomer('brief'))).json['admin'] as { id: string };
  const gone = await remove('Brief');
  expect(gone.status).toBe(200);
  expect(gone.json['admin']).toMatchObject({ id: first.id, username: 'brief' });
  expect((await listed()).map(({ username }) => username)).not.toContain('brief');
  expect((await server.call('GET', `/api/admin/${first.id}`, { token })).status).toBe(404);
  expect((await change(first.id, { version: 2, role: 'Admin' })).status).toBe(404);
  const successor = (await signUp(newcomer('brief'))).json['admin'] as { id: string };
  expect(successor.id).not.toBe(first.id);
  const { json } = await server.call('GET', '/api/auth/me', { token: await server.signIn('brief') });
  expect(json['me']).toMatchObject({ id: successor.id });
});

test('deleting an administrator who may approve needs a second SuperAdmin, also while a promotion waits', async () => {
  const { id } = await addAdmin(db.database, { username: 'leaver', permissionSet: 'Finance' });
  const leaver = await server.signIn('leaver');
  const grant = (await change(id, { version: 1, role: 'SuperAdmin' })).json['waiting'] as { approval: string };
  const { json } = await remove('leaver');
  const { approval, facts } = json['waiting'] as { approval: string; facts: object[] };
  expect(facts).toEqual([
    { key: 'administrator', value: 'leaver' },
    { key: 'permissionSet', value: 'Finance' },
    { key: 'role', before: 'Admin', value: 'deleted' },
  ]);
  expect((await remove('leaver')).json['code']).toBe('RemovalWaits');
  expect((await decideOn(server, approval, { token })).json['code']).toBe('OwnRequest');
  expect((await decideOn(server, approval, { token: leaver })).json['code']).toBe('ApproverNotPermitted');
  expect((await server.call('GET', '/api/auth/me', { token: leaver })).status).toBe(200);
  expect((await decideOn(server, approval, { token: secondToken })).status).toBe(200);
  expect((await server.call('GET', '/api/auth/me', { token: leaver })).status).toBe(401);
  expect((await listed()).map(({ username }) => username)).not.toContain('leaver');
  expect((await decideOn(server, grant.approval, { token: secondToken })).json['code']).toBe('ApprovalDecided');
});

test('a SuperAdmin cannot be deleted, not even by themselves', async () => {
  await addAdmin(db.database, { username: 'other', role: 'SuperAdmin' });
  for (const username of ['other', 'root']) {
    const { status, json } = await remove(username);
    expect(status).toBe(409);
    expect(json['code']).toBe('SuperAdminUndeletable');
    expect(json['error']).toBe('A SuperAdmin cannot be deleted.');
  }
});

test('deleting an unknown administrator is refused', async () => {
  const { status, json } = await remove('nobody');
  expect(status).toBe(404);
  expect(json['error']).toBe('This administrator no longer exists.');
});

test('an administrator is read by id', async () => {
  const { status, json } = await server.call('GET', `/api/admin/${root.id}`, { token });
  expect(status).toBe(200);
  expect(json['admin']).toMatchObject({ id: root.id, username: 'root' });
  expect((await server.call('GET', '/api/admin/019c0000-0000-7000-8000-000000000000', { token })).status).toBe(404);
  expect((await server.call('GET', '/api/admin/nonsense', { token })).status).toBe(400);
});

test('a profile is saved: name, role and permission set, each alone or together', async () => {
  const { id } = await addAdmin(db.database, { username: 'mel', permissionSet: 'Auditor' });
  const renamed = await change(id, { version: 1, newUsername: 'melinda' });
  expect(renamed.json['admin']).toMatchObject({ username: 'melinda', role: 'Admin', version: 2 });
  const narrowed = await change(id, { version: 2, permissionSet: 'Support' });
  expect(narrowed.json['admin']).toMatchObject({ username: 'melinda', permissionSet: 'Support', version: 3 });
  const widened = await change(id, { version: 3, permissionSet: null, newUsername: 'mel' });
  expect(widened.json['admin']).toMatchObject({ username: 'mel', permissionSet: null, version: 4 });
  expect(
    (await server.call('POST', '/api/admin/login', { body: { username: 'melinda', password: testPassword } })).status,
  ).toBe(401);
  await server.signIn('mel');
});

test('a SuperAdmin has no permission set: the promotion clears it, and a later change does not set one', async () => {
  const { id } = await addAdmin(db.database, { username: 'rise', permissionSet: 'Auditor' });
  await approved(server, await change(id, { version: 1, role: 'SuperAdmin' }), secondToken);
  const risen = await server.call('GET', `/api/admin/${id}`, { token });
  expect(risen.json['admin']).toMatchObject({ role: 'SuperAdmin', permissionSet: null });
  const narrowed = await change(id, { version: 2, permissionSet: 'Support' });
  expect(narrowed.json['admin']).toMatchObject({ role: 'SuperAdmin', permissionSet: null });
});

test('becoming a SuperAdmin needs a second SuperAdmin, who is not the requester', async () => {
  const { id } = await addAdmin(db.database, { username: 'wishful', permissionSet: 'Finance' });
  const wishful = await server.signIn('wishful');
  const requested = await change(id, { version: 1, role: 'SuperAdmin', permissionSet: null });
  expect(requested.json['admin']).toMatchObject({ role: 'Admin', permissionSet: 'Finance' });
  const { approval, facts } = requested.json['waiting'] as { approval: string; facts: object[] };
  expect(facts).toEqual([
    { key: 'administrator', value: 'wishful' },
    { key: 'permissionSet', value: 'Finance' },
    { key: 'role', before: 'Admin', value: 'SuperAdmin' },
  ]);
  expect((await change(id, { version: 1, role: 'SuperAdmin' })).json['code']).toBe('GrantWaits');
  expect((await decideOn(server, approval, { token })).json['code']).toBe('OwnRequest');
  expect((await decideOn(server, approval, { token: wishful })).json['code']).toBe('ApproverNotPermitted');
  expect((await server.call('GET', '/api/auth/me', { token: wishful })).json['me']).toMatchObject({ role: 'Admin' });
  expect((await decideOn(server, approval, { token: secondToken })).status).toBe(200);
  const risen = await server.call('GET', `/api/admin/${id}`, { token });
  expect(risen.json).toMatchObject({ admin: { role: 'SuperAdmin', permissionSet: null }, waiting: null });
  expect((await server.call('GET', '/api/auth/me', { token: wishful })).status).toBe(401);
});

test('a SuperAdmin becomes an Admin only with a second SuperAdmin, and loses the sessions', async () => {
  const { id } = await addAdmin(db.database, { username: 'steps.down', role: 'SuperAdmin' });
  const stepping = await server.signIn('steps.down');
  const requested = await change(id, { version: 1, role: 'Admin' });
  expect(requested.json['admin']).toMatchObject({ role: 'SuperAdmin', version: 1 });
  const { approval, facts } = requested.json['waiting'] as { approval: string; facts: object[] };
  expect(facts).toContainEqual({ key: 'role', before: 'SuperAdmin', value: 'Admin' });
  expect((await change(id, { version: 1, role: 'Admin' })).json['code']).toBe('DemotionWaits');
  expect((await decideOn(server, approval, { token })).json['code']).toBe('OwnRequest');
  expect((await decideOn(server, approval, { token: secondToken })).status).toBe(200);
  expect((await server.call('GET', `/api/admin/${id}`, { token })).json).toMatchObject({
    admin: { role: 'Admin', permissionSet: null },
    waiting: null,
  });
  expect((await server.call('GET', '/api/auth/me', { token: stepping })).status).toBe(401);
});

test('changing the permission set voids the pending request', async () => {
  const { id } = await addAdmin(db.database, { username: 'moving', permissionSet: 'Support' });
  const requested = await change(id, { version: 1, role: 'SuperAdmin' });
  await change(id, { version: 1, permissionSet: 'Auditor' });
  const { approval } = requested.json['waiting'] as { approval: string };
  expect((await decideOn(server, approval, { token: secondToken })).json['code']).toBe('ApprovalVoid');
  expect((await server.call('GET', `/api/admin/${id}`, { token })).json).toMatchObject({
    admin: { role: 'Admin', permissionSet: 'Auditor' },
    waiting: null,
  });
});

test('a new SuperAdmin is an Admin until a second approver grants the role', async () => {
  const { json } = await signUp({ ...newcomer('addedsuper'), role: 'SuperAdmin' });
  expect(json['admin']).toMatchObject({ username: 'addedsuper', role: 'Admin' });
  await approved(server, { json }, secondToken);
  expect(await listed()).toContainEqual(expect.objectContaining({ username: 'addedsuper', role: 'SuperAdmin' }));
});

test('a change based on an outdated version is refused and changes nothing', async () => {
  const { id } = await addAdmin(db.database, { username: 'stale', permissionSet: 'Auditor' });
  expect((await change(id, { version: 1, permissionSet: 'Support' })).status).toBe(200);
  const late = await change(id, { version: 1, permissionSet: 'Finance' });
  expect(late.status).toBe(409);
  expect(late.json['code']).toBe('AdminConflict');
  const { json } = await server.call('GET', `/api/admin/${id}`, { token });
  expect(json['admin']).toMatchObject({ permissionSet: 'Support', version: 2 });
});

test.each([{ permissionSet: 'Support' as const }, {}])(
  'renaming to a taken username is refused (%o)',
  async (rights) => {
    const { id } = await addAdmin(db.database, { username: `wants${Object.keys(rights).length}`, ...rights });
    const { status, json } = await change(id, { version: 1, newUsername: 'RooT' });
    expect(status).toBe(409);
    expect(json['code']).toBe('UsernameTaken');
  },
);

test('an Admin can list administrators but cannot create, delete or change one', async () => {
  const { id } = await addAdmin(db.database, { username: 'plain' });
  const plain = await server.signIn('plain');
  expect((await server.call('GET', '/api/admin/all', { token: plain })).status).toBe(200);
  const tried = [
    await server.call('POST', '/api/admin/signup', { token: plain, body: newcomer('sneaky') }),
    await server.call('POST', '/api/admin/delete', { token: plain, body: { username: 'lee' } }),
    await server.call('PATCH', `/api/admin/${id}`, { token: plain, body: { version: 1, role: 'SuperAdmin' } }),
  ];
  for (const { status, json } of tried) {
    expect(status).toBe(403);
    expect(json['error']).toBe('Your role does not allow this.');
  }
});
