import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { setAloneLimit } from '#server/core/testing/decisions.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin, testServer } from '#server/core/testing/server.ts';
import { fillTreasury } from '#server/core/testing/stakes.ts';
import { openStream } from '#server/core/testing/stream.ts';

const { db, server } = await testEnvironment();
const second = await testServer(db.url);
afterAll(() => second[Symbol.asyncDispose]());
// The limits of the treasury and of an administrator are tested in rewards.test.ts and are raised here.
await fillTreasury(db.owner, 'USD', 10n ** 12n);
await setAloneLimit(db.owner, 10n ** 12n);
const ann = await addAdmin(db.database, { username: 'ann' });
await addAdmin(db.database, { username: 'bea' });
const token = await server.signIn('ann');
const byAnn = { on: server, token };
const byBea = { on: second, token: await second.signIn('bea') };
const mira = await addUser(db.owner, { username: 'mira.k', userId: 'U-1001' });
const okoro = await addUser(db.owner, { username: 'okoro', userId: 'U-1002' });

type Task = { id: string; version: number; rewarded: boolean; rewardedAt: string | null; status: string };

const form = {
  userId: 'U-1001',
  postUrl: 'https://example.com/posts/1?a=b',
  title: 'Invite 5 friends',
  description: 'Before Friday.',
  reward: '25.00',
  deadline: '2026-12-24',
};

const create = (body: object = {}, by = byAnn) =>
  by.on.call('POST', '/api/tasks', { token: by.token, body: { ...form, ...body } });
async function made(body: object = {}) {
  const { status, json } = await create(body);
  expect(status, JSON.stringify(json)).toBe(200);
  return json['task'] as Task;
}
const change = (task: Task, body: object = {}, by = byAnn) =>
  by.on.call('PATCH', `/api/tasks/${task.id}`, {
    token: by.token,
    body: { ...form, status: 'Active', version: task.version, ...body },
  });
const setRewarded = ({ id, version }: Task, rewarded: boolean, by = byAnn) =>
  by.on.call('POST', `/api/tasks/${id}/rewarded`, { token: by.token, body: { rewarded, version } });
const listed = async (id: string) => {
  const { json } = await server.call('GET', '/api/tasks?limit=100', { token });
  return (json['tasks'] as Task[]).find((task) => task.id === id);
};
const auditOf = async (subjectId: string) => {
  const ofAll = db.owner.selectFrom('auditEntry').select(['actorId', 'action', 'details']);
  const entries = await ofAll.where('subjectId', '=', subjectId).orderBy('seq').execute();
  return entries.map(({ details, ...entry }) => ({ ...entry, details: JSON.parse(details) as unknown }));
};

test('a new task is the first of the list, with every field of the specification', async () => {
  await made({ title: 'An older one' });
  const task = await made();
  expect(task).toEqual({
    ...form,
    id: expect.any(String),
    username: 'mira.k',
    userUuid: mira.id,
    isUserBlacklisted: false,
    isUserDeleted: false,
    status: 'Active',
    rewarded: false,
    rewardedAt: null,
    waitsUntil: null,
    createdAt: expect.stringMatching(/Z$/),
    version: 1,
  });
  const { json } = await server.call('GET', '/api/tasks', { token });
  expect((json['tasks'] as Task[])[0]).toEqual(task);
  expect((await server.call('GET', `/api/tasks/${task.id}`, { token })).json).toEqual({ task });
});

test('every field of a task can be changed, and the change is announced and audited with before and after', async () => {
  const task = await made();
  const stream = await openStream(second.address, { authorization: `Bearer ${byBea.token}` });
  const after = {
    userId: 'U-1002',
    postUrl: 'http://example.org/2',
    title: 'Connect wallet',
    description: '',
    reward: '0.000001',
    deadline: '2027-01-01',
    status: 'Completed',
  };
  const { status, json } = await change(task, after);
  expect(status).toBe(200);
  expect(json['task']).toEqual({ ...task, ...after, username: 'okoro', userUuid: okoro.id, version: 2 });
  expect(await listed(task.id)).toEqual(json['task']);
  await stream.heard({ feature: 'tasks', id: task.id });
  await stream.close();
  expect((await auditOf(task.id)).at(-1)).toEqual({
    actorId: ann.id,
    action: 'tasks.change',
    details: { before: { ...form, status: 'Active' }, after },
  });
});

test('Reward sets rewarded and stamps rewardedAt, Revoke clears both, and neither changes the status', async () => {
  const task = await made();
  const stream = await openStream(second.address, { authorization: `Bearer ${byBea.token}` });
  const rewarded = (await setRewarded(task, true)).json['task'] as Task;
  expect(rewarded).toMatchObject({ rewarded: true, rewardedAt: expect.stringMatching(/Z$/), status: 'Active' });
  expect(Math.abs(Date.now() - Date.parse(String(rewarded.rewardedAt)))).toBeLessThan(60_000);
  expect(await listed(task.id)).toEqual(rewarded);
  await stream.heard({ feature: 'tasks', id: task.id });
  await stream.close();
  const revoked = (await setRewarded(rewarded, false)).json['task'];
  expect(revoked).toMatchObject({ rewarded: false, rewardedAt: null, status: 'Active' });
  expect((await auditOf(task.id)).map(({ action, details }) => [action, details])).toEqual([
    ['tasks.create', { after: { ...form, status: 'Active' } }],
    [
      'tasks.reward',
      {
        before: { rewarded: false, rewardedAt: null },
        after: { rewarded: true, rewardedAt: rewarded.rewardedAt },
      },
    ],
    [
      'tasks.revoke',
      {
        before: { rewarded: true, rewardedAt: rewarded.rewardedAt },
        after: { rewarded: false, rewardedAt: null },
      },
    ],
  ]);
});

test.each([true, false])('two concurrent calls set rewarded to %s: one succeeds, one is refused', async (rewarded) => {
  for (let round = 0; round < 8; round += 1) {
    const fresh = await made();
    const { id } = fresh;
    const task = rewarded ? fresh : ((await setRewarded(fresh, true)).json['task'] as Task);
    const acts = (await auditOf(id)).length;
    const answers = await Promise.all([setRewarded(task, rewarded), setRewarded(task, rewarded, byBea)]);
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
    expect(answers.find(({ status }) => status === 409)?.json).toMatchObject({
      code: 'RewardUnchanged',
      error: 'Someone else has just done this.',
    });
    expect(await auditOf(id)).toHaveLength(acts + 1);
    expect((await listed(id))?.rewarded).toBe(rewarded);
  }
});

test('a rewarded task cannot be changed until the reward is revoked', async () => {
  const task = await made();
  const rewarded = (await setRewarded(task, true)).json['task'] as Task;
  const { status, json } = await change(rewarded, { title: 'Another' });
  expect(status).toBe(409);
  expect(json).toMatchObject({
    code: 'TaskRewarded',
    error: 'This task has been rewarded. Revoke the reward to change it.',
  });
  const revoked = (await setRewarded(rewarded, false)).json['task'] as Task;
  expect((await change(revoked, { title: 'Another' })).status).toBe(200);
});

test('a change based on an outdated version is refused, even if a reward was paid and revoked since', async () => {
  const task = await made();
  expect((await change(task, { title: 'First' })).status).toBe(200);
  const { status, json } = await change(task, { title: 'Second' });
  expect(status).toBe(409);
  expect(json['code']).toBe('TaskConflict');
  expect(await listed(task.id)).toMatchObject({ title: 'First' });

  const other = await made();
  const rewarded = (await setRewarded(other, true)).json['task'] as Task;
  await setRewarded(rewarded, false);
  expect((await change(other, { title: 'Late' })).json['code']).toBe('TaskConflict');
});

test('rewarding or revoking based on an outdated version is refused', async () => {
  const task = await made();
  const changed = (await change(task, { reward: '999.00' }, byBea)).json['task'] as Task;
  const { status, json } = await setRewarded(task, true);
  expect(status).toBe(409);
  expect(json).toMatchObject({
    code: 'TaskConflict',
    error: 'Someone else has just changed this task. Check the new values first.',
  });
  expect(await listed(task.id)).toEqual(changed);

  const rewarded = (await setRewarded(changed, true)).json['task'] as Task;
  const revoked = (await setRewarded(rewarded, false, byBea)).json['task'] as Task;
  const rewardedAgain = (await setRewarded(revoked, true, byBea)).json['task'] as Task;
  expect((await setRewarded(rewarded, false)).json['code']).toBe('TaskConflict');
  expect(await listed(task.id)).toEqual(rewardedAgain);
});

test('two concurrent saves of the same task: one succeeds, the other is refused', async () => {
  for (let round = 0; round < 8; round += 1) {
    const task = await made();
    const answers = await Promise.all([change(task, { title: 'By Ann' }), change(task, { title: 'By Bea' }, byBea)]);
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
    const saved = answers.find(({ status }) => status === 200)?.json['task'];
    expect(await listed(task.id)).toEqual(saved);
    expect(await auditOf(task.id)).toHaveLength(2);
  }
});

test('a concurrent reward and change: only one succeeds, so the terms of a rewarded task never change', async () => {
  for (let round = 0; round < 8; round += 1) {
    const task = await made();
    const [rewarded, changed] = await Promise.all([setRewarded(task, true), change(task, { reward: '999.00' }, byBea)]);
    expect([rewarded.status, changed.status].toSorted((a, b) => a - b)).toEqual([200, 409]);
    const acts = (await auditOf(task.id)).map(({ action }) => action);
    expect(acts).toEqual(['tasks.create', rewarded.status === 200 ? 'tasks.reward' : 'tasks.change']);
  }
});

test('a task cannot be given to an unknown or deleted user', async () => {
  const gone = await addUser(db.owner, { userId: 'U-9', retiredAt: new Date() });
  for (const userId of ['U-0', gone.userId]) {
    const { status, json } = await create({ userId });
    expect(status).toBe(404);
    expect(json).toMatchObject({ code: 'UserNotFound', error: 'User not found.' });
  }
  const task = await made();
  expect((await change(task, { userId: 'U-0' })).json['code']).toBe('UserNotFound');
  expect(await listed(task.id)).toEqual(task);
});

test('the task of a deleted user can still be changed', async () => {
  const leaving = await addUser(db.owner, { userId: 'U-7' });
  const task = await made({ userId: 'U-7' });
  await db.owner
    .transaction()
    .execute((tx) =>
      tx.updateTable('platformUser').set({ retiredAt: new Date() }).where('id', '=', leaving.id).execute(),
    );
  expect((await change(task, { userId: 'U-7', status: 'Completed' })).status).toBe(200);
});

test.each([
  ['no user', { userId: ' ' }],
  ['no title', { title: '  ' }],
  ['a title that is too long', { title: 'x'.repeat(201) }],
  ['a description that is too long', { description: 'x'.repeat(5_001) }],
  ['an invalid URL', { postUrl: 'example' }],
  ['a javascript: URL', { postUrl: 'javascript:alert(1)' }],
  ['a file: URL', { postUrl: 'file:///etc/passwd' }],
  ['a URL that is too long', { postUrl: `https://example.com/${'x'.repeat(2_000)}` }],
  ['no reward', { reward: '' }],
  ['a reward of zero', { reward: '0' }],
  ['a negative reward', { reward: '-1.00' }],
  ['a reward above a million', { reward: '1000000.01' }],
  ['a reward below the smallest unit', { reward: '0.0000001' }],
  ['a reward that is a JSON number', { reward: 25 }],
  ['a deadline in another format', { deadline: '24.12.2026' }],
  ['a deadline that does not exist', { deadline: '2026-02-30' }],
  ['the field rewarded', { rewarded: true }],
])('a task with %s is neither created nor saved', async (_what, body) => {
  expect((await create(body)).status).toBe(400);
  const task = await made();
  expect((await change(task, body)).status).toBe(400);
});

test('every call refuses an unknown task', async () => {
  const unknown = { id: '019c0000-0000-7000-8000-000000000000', version: 1 } as Task;
  const answers = [
    await server.call('GET', `/api/tasks/${unknown.id}`, { token }),
    await change(unknown),
    await setRewarded(unknown, true),
  ];
  for (const { status, json } of answers) {
    expect(status).toBe(404);
    expect(json).toMatchObject({ code: 'TaskNotFound', error: 'This task no longer exists.' });
  }
});

test.each(['Support', 'Finance', 'Auditor'] as const)('%s can read tasks but not write them', async (permissionSet) => {
  const { username } = await addAdmin(db.database, { username: `only.${permissionSet}`, permissionSet });
  const theirs = { on: server, token: await server.signIn(username) };
  const task = await made();
  expect((await server.call('GET', '/api/tasks', { token: theirs.token })).status).toBe(200);
  const answers = [await create({}, theirs), await change(task, {}, theirs), await setRewarded(task, true, theirs)];
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
  expect(await listed(task.id)).toEqual(task);
});

test('reading and writing tasks requires a session', async () => {
  expect((await server.call('GET', '/api/tasks')).status).toBe(401);
  expect((await server.call('POST', '/api/tasks', { body: form })).status).toBe(401);
});

test('SQL can neither make rewarded and rewardedAt disagree nor delete a task', async () => {
  await made();
  await expect(sql`update task set rewarded = not rewarded`.execute(db.owner)).rejects.toMatchObject({ code: '23514' });
  await expect(sql`delete from task`.execute(db.owner)).rejects.toMatchObject({ code: 'BU002' });
});
