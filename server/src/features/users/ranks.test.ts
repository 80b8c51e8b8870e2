import { afterAll, expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUser } from '#server/core/testing/user.ts';
import { approved, decideOn } from '#server/core/testing/second.ts';
import { addAdmin, testServer } from '#server/core/testing/server.ts';

const { db, server } = await testEnvironment();
const second = await testServer(db.url);
afterAll(() => second[Symbol.asyncDispose]());
const fin = await addAdmin(db.database, { username: 'fin', permissionSet: 'Finance' });
const token = await server.signIn('fin');
await addAdmin(db.database, { username: 'bea', permissionSet: 'Finance' });
const beaToken = await server.signIn('bea');

const promote = (userId: string, newRank: string, on = server) =>
  on.call('POST', '/api/users/promote', { token, body: { userId, newRank, reason: `To ${newRank}` } });

/** Requests the rank, and a second approver approves it. */
async function promoteTogether(userId: string, newRank: string) {
  const answer = await promote(userId, newRank);
  expect(answer.status).toBe(200);
  await approved(server, answer, beaToken);
}

type Changes = { changes: { id: string; from: string; to: string; user: { id: string } }[]; olderThan: string | null };

const history = async (query = '') =>
  (await server.call('GET', `/api/users/rank-changes${query}`, { token })).json as Changes;

test('ranks can go up and down, and the history has both administrators, the time, both ranks and the reason', async () => {
  const user = await addUser(db.owner);
  for (const rank of ['Silver', 'Platinum', 'Gold']) {
    await promoteTogether(user.userId, rank);
    const { json } = await server.call('GET', `/api/users/${user.id}`, { token });
    expect(json['user']).toMatchObject({ id: user.id, rank });
  }
  const { changes, olderThan } = await history(`?user=${user.id}`);
  const change = { id: expect.any(String), user, by: 'fin', approvedBy: 'bea', at: expect.stringMatching(/Z$/) };
  expect(changes).toEqual([
    { ...change, from: 'Platinum', to: 'Gold', reason: 'To Gold' },
    { ...change, from: 'Silver', to: 'Platinum', reason: 'To Platinum' },
    { ...change, from: 'none', to: 'Silver', reason: 'To Silver' },
  ]);
  expect(olderThan).toBeNull();
  const act = db.owner.selectFrom('auditEntry').select(['actorId', 'details']).where('subjectId', '=', user.id);
  const { actorId, details } = await act.orderBy('seq', 'desc').executeTakeFirstOrThrow();
  expect(actorId).toBe(fin.id);
  const ranks = { before: { rank: 'Platinum' }, after: { rank: 'Gold' } };
  expect(JSON.parse(details)).toEqual({ reason: 'To Gold', ...ranks, approvedBy: expect.any(String) });
});

test('a rank waits for a second approver and stays as it is until then', async () => {
  const user = await addUser(db.owner, { rank: 'Silver' });
  const { json } = await promote(user.userId, 'Gold');
  expect(json['user']).toMatchObject({ id: user.id, rank: 'Silver' });
  const { approval, ...waiting } = json['waiting'] as { approval: string };
  expect(waiting).toEqual({
    requestedBy: 'fin',
    facts: [
      { key: 'user', value: user.username },
      { key: 'rank', before: 'Silver', value: 'Gold' },
      { key: 'reason', value: 'To Gold' },
    ],
  });
  expect((await decideOn(server, approval, { token })).json['code']).toBe('OwnRequest');
  expect((await decideOn(server, approval, { token: beaToken, decision: 'deny' })).status).toBe(200);
  expect((await history(`?user=${user.id}`)).changes).toEqual([]);
});

test('giving a user the rank they already hold is refused', async () => {
  const { userId, id } = await addUser(db.owner, { rank: 'Gold' });
  const { status, json } = await promote(userId, 'Gold');
  expect([status, json['error']]).toEqual([409, 'This user holds that rank already.']);
  expect((await history(`?user=${id}`)).changes).toEqual([]);
});

test('two concurrent approvals of the same rank: one change in the history', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { userId, id } = await addUser(db.owner);
    const answers = await Promise.all([promote(userId, 'Silver'), promote(userId, 'Silver', second)]);
    const decided = await Promise.all(
      answers.map(({ json }, index) => {
        const { approval } = json['waiting'] as { approval: string };
        return decideOn(index === 0 ? server : second, approval, { token: beaToken });
      }),
    );
    expect(decided.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
    expect(decided.find(({ status }) => status === 409)?.json['code']).toBe('ApprovalVoid');
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
    for (const { userId } of users) await promoteTogether(userId, round % 2 === 0 ? 'Silver' : 'Gold');
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
