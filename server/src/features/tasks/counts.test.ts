import { expect, test } from 'vitest';
import { countersOf, foldBy, whileFolding } from '#server/core/testing/counters.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { fillTreasury } from '#server/core/testing/stakes.ts';
import { foldCounts } from './queries.ts';

const { db, server } = await testEnvironment();
await fillTreasury(db.owner, 'USD', 10n ** 12n);
await addAdmin(db.database, { username: 'ann' });
const token = await server.signIn('ann');
const { userId } = await addUser(db.owner);

const fold = foldBy(db, foldCounts);
const { expectExact, expectFolded } = countersOf(db, { table: 'task' });

const form = {
  userId,
  postUrl: 'https://example.com',
  title: 'Any',
  description: '',
  reward: '1.00',
  deadline: '2026-12-24',
};

async function createAndChange(step: number) {
  const { json } = await server.call('POST', '/api/tasks', { token, body: form });
  const { id, version } = json['task'] as { id: string; version: number };
  if (step % 3 === 0) return;
  const save = (status: string) =>
    server.call('PATCH', `/api/tasks/${id}`, { token, body: { ...form, status, version } });
  const reward = server.call('POST', `/api/tasks/${id}/rewarded`, { token, body: { rewarded: true, version } });
  for (const { status } of await Promise.all([save('Completed'), save('Completed'), reward])) {
    expect([200, 409]).toContain(status);
  }
}

test('the counters stay exact while several workers fold them during writes', async () => {
  await whileFolding({ fold, look: expectExact, write: createAndChange }, 15);
});

test('folding leaves one row per status, and the totals of the list match the counters', async () => {
  await fold();
  await expectFolded();
  const rows = await db.owner.selectFrom('taskCount').select(['status', 'delta']).execute();
  for (const { status, delta } of rows) {
    const { json } = await server.call('GET', `/api/tasks?status=${status}&limit=1`, { token });
    expect(json['total']).toEqual({ count: Number(delta), capped: false });
  }
});
