import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { decideOn } from '#server/core/testing/second.ts';
import { addAdmin } from '#server/core/testing/server.ts';

/* No SuperAdmin alone takes the right to approve from another administrator. */
const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'root', role: 'SuperAdmin' });
const token = await server.signIn('root');
const second = await addAdmin(db.database, { username: 'second', role: 'SuperAdmin' });
const secondToken = await server.signIn('second');

const change = (id: string, body: Record<string, unknown>) => server.call('PATCH', `/api/admin/${id}`, { token, body });

async function confirmedApprover(username: string) {
  const { id } = await addAdmin(db.database, { username });
  const read = async () =>
    (await server.call('GET', `/api/admin/${id}`, { token })).json['admin'] as { version: number };
  return { id, read };
}

test.each([
  ['no right to approve', { permissionSet: 'Support' }],
  ['another name for signing in', { newUsername: 'locked.out' }],
])('%s: a change of an approver needs a second SuperAdmin', async (what, body) => {
  const username = what.replaceAll(' ', '.').slice(0, 20);
  const { id, read } = await confirmedApprover(username);
  const before = await read();
  const answer = await change(id, { version: before.version, ...body });
  expect(answer.status).toBe(200);
  expect(await read()).toEqual(before);
  const { approval } = answer.json['waiting'] as { approval: string };
  expect((await decideOn(server, approval, { token })).json['code']).toBe('OwnRequest');
  expect((await decideOn(server, approval, { token: secondToken })).status).toBe(200);
  const after = { username, permissionSet: null, ...body };
  const expected = 'newUsername' in after ? { username: after.newUsername } : { permissionSet: after.permissionSet };
  expect(await read()).toMatchObject(expected);
});

test('an approver who is to become a SuperAdmin is not renamed on the way', async () => {
  const { id, read } = await confirmedApprover('promoted');
  const { version } = await read();
  await change(id, { version, role: 'SuperAdmin', newUsername: 'renamed' });
  expect(await read()).toMatchObject({ username: 'promoted', role: 'Admin' });
});

test('an approver may narrow and rename their own account', async () => {
  const { version } = (await server.call('GET', `/api/admin/${second.id}`, { token: secondToken })).json['admin'] as {
    version: number;
  };
  const body = { version, newUsername: 'second.again' };
  const { json } = await server.call('PATCH', `/api/admin/${second.id}`, { token: secondToken, body });
  expect(json).toMatchObject({ admin: { username: 'second.again' }, waiting: null });
});
