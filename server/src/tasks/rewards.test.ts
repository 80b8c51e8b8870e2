import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testHouse } from '#server/testing/house.ts';
import { ledgerOf } from '#server/testing/ledger.ts';
import { addPerson } from '#server/testing/person.ts';
import { addAdmin } from '#server/testing/server.ts';
import { deposit } from '#server/testing/transfers.ts';

const { db, server } = await testHouse();
const { posted, totalsOf, expectSound } = ledgerOf(db);
await addAdmin(db.database, { username: 'ann' });
const token = await server.signIn('ann');

type Task = { id: string; version: number };

async function taskFor(userId: string, reward = '25.00') {
  const form = {
    userId,
    postUrl: 'https://example.com/1',
    title: 'Invite',
    description: '',
    reward,
    deadline: '2026-12-24',
  };
  const { json } = await server.call('POST', '/api/tasks', { token, body: form });
  return json['task'] as Task;
}

async function set({ id, version }: Task, rewarded: boolean) {
  const { status, json } = await server.call('POST', `/api/tasks/${id}/rewarded`, {
    token,
    body: { rewarded, version },
  });
  return { status, code: json['code'], task: json['task'] as Task };
}

const transfersFor = async (cause: string) =>
  (
    await sql<Record<string, unknown>>`
      select kind, part, debit, credit, units, user_id, reverses is not null as taking_back from transfer
      where cause_id = ${cause}::uuid order by id`.execute(db.owner)
  ).rows;

test('Reward pays the user from the treasury, and the profile says so at once', async () => {
  const mira = await addPerson(db.owner);
  const { id, ...task } = await taskFor(mira.userId);
  await set({ id, ...task }, true);
  expect(await transfersFor(id)).toEqual([
    {
      kind: 'funding',
      part: 0,
      debit: 'treasury',
      credit: 'task_rewards',
      units: 25_000_000n,
      userId: null,
      takingBack: false,
    },
    {
      kind: 'task',
      part: 0,
      debit: 'task_rewards',
      credit: 'available',
      units: 25_000_000n,
      userId: mira.id,
      takingBack: false,
    },
  ]);
  const { json } = await server.call('GET', `/api/users/${mira.id}`, { token });
  expect(json['user']).toMatchObject({ available: '25.00', taskRewards: '25.00', totalEarnings: '25.00' });
  await expectSound();
});

test('Revoke takes it back, and rewarding again is a new payment', async () => {
  const mira = await addPerson(db.owner);
  const task = await taskFor(mira.userId);
  const first = await set(task, true);
  const revoked = await set(first.task, false);
  expect(await totalsOf(mira.id)).toMatchObject({ availableUsd: 0n, taskRewardsUsd: 0n });
  const second = await set(revoked.task, true);
  await set(second.task, false);
  expect(await totalsOf(mira.id)).toMatchObject({ availableUsd: 0n, taskRewardsUsd: 0n });
  const parts = (await transfersFor(task.id)).map(({ kind, part, takingBack }) => [kind, part, takingBack]);
  expect(parts).toEqual(
    [0, 1].flatMap((part) => [
      ['funding', part, false],
      ['task', part, false],
      ['task', part, true],
      ['funding', part, true],
    ]),
  );
  await expectSound();
});

test('a reward that was spent cannot be taken back, and nothing of the attempt remains', async () => {
  const mira = await addPerson(db.owner);
  const { task } = await set(await taskFor(mira.userId), true);
  await posted(deposit({ userId: mira.id, kind: 'adjustment', debit: 'available', credit: 'adjustments', units: 1n }));
  const before = await transfersFor(task.id);
  expect(await set(task, false)).toMatchObject({ status: 409, code: 'BalanceTooLow' });
  expect(await transfersFor(task.id)).toEqual(before);
  const { json } = await server.call('GET', `/api/tasks/${task.id}`, { token });
  expect(json['task']).toMatchObject({ rewarded: true });
  await expectSound();
});

test('fifty who reward the same task at once pay it once', async () => {
  const mira = await addPerson(db.owner);
  const task = await taskFor(mira.userId);
  const tries = await Promise.all(Array.from({ length: 50 }, () => set(task, true)));
  expect(tries.filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await totalsOf(mira.id)).taskRewardsUsd).toBe(25_000_000n);
});
