import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { runsOf } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { takeAway } from '#server/core/testing/transfers.ts';
import { treasuryOf } from '#server/core/ledger/lines.ts';

const { db, server } = await testEnvironment();
const { totalsOf, expectSound } = ledgerOf(db);
await addAdmin(db.database, { username: 'ann' });
await addAdmin(db.database, { username: 'bea' });
const token = await server.signIn('ann');
const beaToken = await server.signIn('bea');
await fillTreasury(db.owner, 'USD', 10_000_000_000n);

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
      select kind, part, debit, credit, units, user_id, reverses is not null as is_reversal from transfer
      where cause_id = ${cause}::uuid order by id`.execute(db.owner)
  ).rows;

test('Reward pays the user from the treasury, and the profile shows it immediately', async () => {
  const mira = await addUser(db.owner);
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
      isReversal: false,
    },
    {
      kind: 'task',
      part: 0,
      debit: 'task_rewards',
      credit: 'available',
      units: 25_000_000n,
      userId: mira.id,
      isReversal: false,
    },
  ]);
  const { json } = await server.call('GET', `/api/users/${mira.id}`, { token });
  expect(json['user']).toMatchObject({ available: '25.00', taskRewards: '25.00', totalEarnings: '25.00' });
  await expectSound();
});

test('Revoke reverses the payment, and rewarding again is a new payment', async () => {
  const mira = await addUser(db.owner);
  const task = await taskFor(mira.userId);
  const first = await set(task, true);
  const revoked = await set(first.task, false);
  expect(await totalsOf(mira.id)).toMatchObject({ availableUsd: 0n, taskRewardsUsd: 0n });
  const second = await set(revoked.task, true);
  await set(second.task, false);
  expect(await totalsOf(mira.id)).toMatchObject({ availableUsd: 0n, taskRewardsUsd: 0n });
  const parts = (await transfersFor(task.id)).map(({ kind, part, isReversal }) => [kind, part, isReversal]);
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

test('a reward that was spent cannot be revoked, and the failed attempt changes nothing', async () => {
  const mira = await addUser(db.owner);
  const { task } = await set(await taskFor(mira.userId), true);
  await db.owner.transaction().execute((tx) => takeAway(tx, { userId: mira.id, units: 1n }));
  const before = await transfersFor(task.id);
  expect(await set(task, false)).toMatchObject({ status: 409, code: 'BalanceTooLow' });
  expect(await transfersFor(task.id)).toEqual(before);
  const { json } = await server.call('GET', `/api/tasks/${task.id}`, { token });
  expect(json['task']).toMatchObject({ rewarded: true });
  await expectSound();
});

test('fifty concurrent rewards of the same task pay it once', async () => {
  const mira = await addUser(db.owner);
  const task = await taskFor(mira.userId);
  const tries = await Promise.all(Array.from({ length: 50 }, () => set(task, true)));
  expect(tries.filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await totalsOf(mira.id)).taskRewardsUsd).toBe(25_000_000n);
});

async function approvalOf(subject: string) {
  const { json } = await server.call('GET', '/api/approvals?limit=100', { token });
  const all = json['approvals'] as { id: string; subject: string; digest: string; facts: unknown }[];
  return all.find((one) => one.subject === subject);
}

async function approve(subject: string, by: string) {
  const approval = await approvalOf(subject);
  const body = { decision: 'approve', digest: approval?.digest };
  return server.call('POST', `/api/approvals/${approval?.id}/decide`, { token: by, body });
}

test('a reward above the limit waits for a second approver, and is paid once', async () => {
  const mira = await addUser(db.owner);
  const task = await taskFor(mira.userId, '1000.000001');
  const requested = await set(task, true);
  expect(requested).toMatchObject({ status: 200, task: { rewarded: false, waitsUntil: expect.stringMatching(/Z$/) } });
  expect((await totalsOf(mira.id)).taskRewardsUsd).toBe(0n);
  expect(await set(task, true)).toMatchObject({ status: 409, code: 'ApprovalWaiting' });
  expect((await approve(task.id, token)).json['code']).toBe('OwnRequest');
  const tries = await Promise.all(Array.from({ length: 10 }, () => approve(task.id, beaToken)));
  expect(tries.filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await totalsOf(mira.id)).taskRewardsUsd).toBe(1_000_000_001n);
  const { json } = await server.call('GET', `/api/tasks/${task.id}`, { token });
  expect(json['task']).toMatchObject({ rewarded: true, waitsUntil: null });
  await expectSound();
});

test('concurrent small rewards add up toward the daily limit of the administrator', async () => {
  await addAdmin(db.database, { username: 'cleo' });
  const cleo = await server.signIn('cleo');
  const mira = await addUser(db.owner);
  const tasks = await Promise.all(Array.from({ length: 6 }, () => taskFor(mira.userId, '300')));
  await Promise.all(
    tasks.map(({ id, version }) =>
      server.call('POST', `/api/tasks/${id}/rewarded`, { token: cleo, body: { rewarded: true, version } }),
    ),
  );
  expect((await totalsOf(mira.id)).taskRewardsUsd).toBe(900_000_000n);
});

test('changing the task voids the waiting request', async () => {
  const mira = await addUser(db.owner);
  const task = await taskFor(mira.userId, '2000');
  await set(task, true);
  const form = {
    userId: mira.userId,
    postUrl: 'https://example.com/1',
    title: 'Other',
    description: '',
    reward: '2000',
  };
  const body = { ...form, deadline: '2026-12-24', status: 'Active', version: task.version };
  await server.call('PATCH', `/api/tasks/${task.id}`, { token, body });
  expect((await approve(task.id, beaToken)).json['code']).toBe('ApprovalDecided');
  expect((await totalsOf(mira.id)).taskRewardsUsd).toBe(0n);
});

const excludes = {
  UserBlacklisted: (id: string) =>
    server.call('POST', `/api/users/${id}/blacklist`, { token, body: { blacklisted: true, reason: 'Fraud' } }),
  UserDeleted: (id: string) => server.call('POST', `/api/users/${id}/delete`, { token }),
};

test.each(['UserBlacklisted', 'UserDeleted'] as const)(
  'a reward is refused with %s, also if it was requested before, and it can be revoked',
  async (code) => {
    const mira = await addUser(db.owner);
    const paid = await set(await taskFor(mira.userId), true);
    const small = await taskFor(mira.userId);
    const large = await taskFor(mira.userId, '1500');
    await set(large, true);
    expect((await excludes[code](mira.id)).status).toBe(200);
    expect(await set(small, true)).toMatchObject({ status: 409, code });
    expect((await approve(large.id, beaToken)).json['code']).toBe(code);
    expect(await totalsOf(mira.id)).toMatchObject({ taskRewardsUsd: 25_000_000n });
    const { json } = await server.call('GET', `/api/tasks/${small.id}`, { token });
    const is = { isUserBlacklisted: code === 'UserBlacklisted', isUserDeleted: code === 'UserDeleted' };
    expect(json['task']).toMatchObject({ rewarded: false, ...is });
    expect(await set(paid.task, false)).toMatchObject({ status: 200, task: { rewarded: false } });
    expect(await totalsOf(mira.id)).toMatchObject({ taskRewardsUsd: 0n });
    await expectSound();
  },
);

test('a reward waits for a concurrent blacklisting of its user, and is then refused', async () => {
  const mira = await addUser(db.owner);
  const task = await taskFor(mira.userId);
  let rewarding: ReturnType<typeof set> | undefined;
  await db.owner.transaction().execute(async (tx) => {
    await sql`update platform_user set blacklisted_at = now(), blacklist_reason = 'Fraud'
      where id = ${mira.id}::uuid`.execute(tx);
    rewarding = set(task, true);
    expect(await Promise.race([rewarding, wait(300)])).toBeUndefined();
  });
  expect(await rewarding).toMatchObject({ status: 409, code: 'UserBlacklisted' });
  expect(await totalsOf(mira.id)).toMatchObject({ taskRewardsUsd: 0n });
});

/** Moves money out of the treasury until this many units are left. */
const leave = (units: bigint) =>
  db.owner.transaction().execute(async (tx) => {
    const excess = (await treasuryOf(tx, 'USD')) - units;
    await takeAway(tx, { userId: null, units: excess });
  });

test('concurrent rewards never pay more than the treasury has', async () => {
  await fillTreasury(db.owner, 'USD', 1_000_000_000n);
  await leave(70_000_000n);
  const mira = await addUser(db.owner);
  const tasks = await Promise.all(Array.from({ length: 5 }, () => taskFor(mira.userId)));
  const tries = await Promise.all(tasks.map((task) => set(task, true)));
  expect(tries.filter(({ status }) => status === 200)).toHaveLength(2);
  expect(tries.filter(({ code }) => code === 'TreasuryTooLow')).toHaveLength(3);
  expect((await totalsOf(mira.id)).taskRewardsUsd).toBe(50_000_000n);

  const large = await taskFor(mira.userId, '1500');
  await set(large, true);
  expect((await approve(large.id, beaToken)).json['code']).toBe('TreasuryTooLow');
  await fillTreasury(db.owner, 'USD', 2_000_000_000n);
  expect((await approve(large.id, beaToken)).status).toBe(200);
  await expectSound();
});

test('money that an active run still has to pay is not available for rewards', async () => {
  const { id: userId, ...mira } = await addUser(db.owner);
  await addStake(db.owner, { userId, units: 10_000_000_000n, placedOn: '2026-03-01' });
  const runs = runsOf(db);
  await runs.save('stake-payout', { enabled: true, baseReward: 50, bonusReward: 20, loyaltyReward: 30 });
  const { id } = await runs.create('stake-payout', new Date('2026-03-04T12:00:00Z'));
  const { pays, setsAside } = await runs.plan(id);
  await runs.start(id);
  await leave(pays + setsAside + 24_999_999n);
  const task = await taskFor(mira.userId);
  expect(await set(task, true)).toMatchObject({ status: 409, code: 'TreasuryTooLow' });
  expect(await runs.pay(id)).toMatchObject({ state: 'completed' });
  await fillTreasury(db.owner, 'USD', 1n);
  expect(await set(task, true)).toMatchObject({ status: 200 });
  await expectSound();
});
