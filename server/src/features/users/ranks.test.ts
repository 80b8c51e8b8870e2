import { afterAll, expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin, testServer } from '#server/core/testing/server.ts';

const { db, server } = await testEnvironment();
const second = await testServer(db.url);
afterAll(() => second[Symbol.asyncDispose]());
const fin = await addAdmin(db.database, { username: 'fin', permissionSet: 'Finance' });
const token = await server.signIn('fin');

const promote = (userId: string, newRank: string, on = server) =>
  on.call('POST', '/api/users/promote', { token, body: { userId, newRank, reason: `To ${newRank}` } });

type Changes = { changes: { id: string; from: string; to: string; user: { id: string } }[]; olderThan: string | null };

const history = async (query = '') =>
  (await server.call('GET', `/api/users/rank-changes${query}`, { token })).json as Changes;

test('ranks can go up and down, and the history has the administrator, the time, both ranks and the reason', async () => {
  const user = await addUser(db.owner);
  for (const rank of ['Silver', 'Platinum', 'Gold']) {
    expect((await promote(user.userId, rank)).json['user']).toMatchObject({ id: user.id, rank });
  }
  const { changes, olderThan } = await history(`?user=${user.id}`);
  const change = { id: expect.any(String), user, by: 'fin', at: expect.stringMatching(/Z$/) };
  expect(changes).toEqual([
    { ...change, from: 'Platinum', to: 'Gold', reason: 'To Gold' },
    { ...change, from: 'Silver', to: 'Platinum', reason: 'To Platinum' },
    { ...change, from: 'none', to: 'Silver', reason: 'To Silver' },
  ]);
  expect(olderThan).toBeNull();
  const act = db.owner.selectFrom('auditEntry').select(['actorId', 'details']).where('subjectId', '=', user.id);
  const { actorId, details } = await act.orderBy('seq', 'desc').executeTakeFirstOrThrow();
  expect(actorId).toBe(fin.id);
  expect(JSON.parse(details)).toEqual({ reason: 'To Gold', before: { rank: 'Platinum' }, after: { rank: 'Gold' } });
});

test('giving a user the rank they already hold is refused', async () => {
  const { userId, id } = await addUser(db.owner, { rank: 'Gold' });
  const { status, json } = await promote(userId, 'Gold');
  expect([status, json['error']]).toEqual([409, 'This user holds that rank already.']);
  expect((await history(`?user=${id}`)).changes).toEqual([]);
});

test('two concurrent promotions to the same rank: one change in the history', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { userId, id } = await addUser(db.owner);
    const answers = await Promise.all([promote(userId, 'Silver'), promote(userId, 'Silver', second)]);
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
    expect((await history(`?user=${id}`)).changes).toHaveLength(1);
  }
});

test('part of a user ID, an unknown rank and an empty reason are refused', async () => {
  const { userId } = await addUser(db.owner, { userId: 'U-100200' });
  expect((await promote('U-1002', 'Gold')).json['error']).toBe('User not found.');
  for (const rank of ['none', 'Diamond', 'gold']) expect((await promote(userId, rank)).status).toBe(400);
  const body = { userId, newRank: 'Gold', reason: ' ' };
  expect((await server.call('POST', '/api/users/promote', { token, body })).status).toBe(400);
});

test('the history of all users is newest first, and its pages have no gaps', async () => {
  const users = [];
  for (let index = 0; index < 4; index += 1) users.push(await addUser(db.owner));
  for (let round = 0; round < 9; round += 1) {
    for (const { userId } of users) await promote(userId, round % 2 === 0 ? 'Silver' : 'Gold');
  }
  const pages = [await history()];
  for (let older = pages[0]?.olderThan; older; older = pages.at(-1)?.olderThan) {
    pages.push(await history(`?before=${older}`));
  }
  expect(pages.length).toBeGreaterThan(1);
  const whole = await db.owner
    .selectFrom('rankChange')
    .select('id')
    .orderBy('madeAt', 'desc')
    .orderBy('id', 'desc')
    .execute();
  expect(pages.flatMap(({ changes }) => changes.map(({ id }) => id))).toEqual(whole.map(({ id }) => id));
});
