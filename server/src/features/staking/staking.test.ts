import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin, testServer } from '#server/core/testing/server.ts';
import { openStream } from '#server/core/testing/stream.ts';

const { db, server } = await testEnvironment();
const second = await testServer(db.url);
afterAll(() => second[Symbol.asyncDispose]());

const ann = await addAdmin(db.database, { username: 'ann' });
await addAdmin(db.database, { username: 'bea', permissionSet: 'Finance' });
const token = await server.signIn('ann');
const byAnn = { on: server, token };
const byBea = { on: second, token: await second.signIn('bea') };
const mira = await addUser(db.owner, { username: 'mira.k', solWalletAddress: 'So1OfMira' });

type Plan = { id: string; days: number; dailyRate: number; offered: boolean; waiting: { approval: string } | null };

const plans = async () => (await server.call('GET', '/api/staking/plans', { token })).json['plans'] as Plan[];
const addPlan = (body: object, by = byAnn) => by.on.call('POST', '/api/staking/plans', { token: by.token, body });
const setOffered = (id: string, offered: boolean, by = byAnn) =>
  by.on.call('POST', `/api/staking/plans/${id}/offered`, { token: by.token, body: { offered } });
const offering = (days: string, rate: string) => [
  { key: 'days', value: days },
  { key: 'dailyRate', value: rate },
];

async function decide(planId: string, by: typeof byAnn, known?: string) {
  const id = known ?? (await plans()).find((plan) => plan.id === planId)?.waiting?.approval;
  const read = await by.on.call('GET', `/api/approvals/${id}`, { token: by.token });
  const { digest } = read.json['approval'] as { digest: string };
  const body = { decision: 'approve', digest };
  const { status, json } = await by.on.call('POST', `/api/approvals/${id}/decide`, { token: by.token, body });
  return { status, code: json['code'] };
}

async function addOffered(body: object) {
  const { json } = await addPlan(body);
  const plan = json['plan'] as Plan;
  expect(await decide(plan.id, byBea)).toMatchObject({ status: 200 });
  return plan;
}

const auditOf = (subjectId: string) =>
  db.owner
    .selectFrom('auditEntry')
    .select(['actorId', 'action', 'details'])
    .where('subjectId', '=', subjectId)
    .orderBy('seq')
    .execute();

let stakes = 0;

function stake(planId: string, values: object = {}) {
  stakes += 1;
  return db.owner.transaction().execute((tx) =>
    tx
      .insertInto('stake')
      .values({
        stakeId: `S-${stakes}`,
        userId: mira.id,
        planId,
        amountUsd: 400_000_000n,
        amountSol: 2_560_000_000n,
        days: 30,
        dailyRatePpm: 1_000,
        createdAt: new Date('2026-03-01T09:00:00Z'),
        endsOn: '2026-03-31',
        ...values,
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
}

test('a new installation has plans for 30 days at 0.10% and 60 days at 0.15% a day', async () => {
  expect(await plans()).toMatchObject([
    { days: 30, dailyRate: 0.1, offered: true },
    { days: 60, dailyRate: 0.15, offered: true },
  ]);
});

test('a stake has every field of the specification, with the current figures of its owner', async () => {
  const [plan] = await plans();
  const { id } = await stake(String(plan?.id));
  const read = async () => (await server.call('GET', `/api/staking/${id}`, { token })).json['stake'];
  const nothingYet = { totalStaked: '0.00', totalDeposit: '0.00', walletBalance: '0.00', totalEarnings: '0.00' };
  expect(await read()).toEqual({
    id,
    stakeId: 'S-1',
    user: 'mira.k',
    userUuid: mira.id,
    amount: '400.00',
    amountSOL: '2.56',
    date: '2026-03-01T09:00:00.000Z',
    duration: '30 days',
    dailyRate: 0.1,
    endsOn: '2026-03-31',
    completedAt: null,
    status: 'Active',
    solWalletAddress: 'So1OfMira',
    ...nothingYet,
  });
  await sql`
    update user_total set (available_usd, referral_bonus_usd, gmp_earnings, weekly_rank_bonus_usd,
      staked_earned_usd, task_rewards_usd, staked_usd, deposit_usd)
    = (1500000, 1000000, 7, 2000000, 3000000, 4000000, 400000000, 900000000)
    where user_id = ${mira.id}::uuid`.execute(db.owner);
  expect(await read()).toMatchObject({
    totalStaked: '400.00',
    totalDeposit: '900.00',
    walletBalance: '1.50',
    totalEarnings: '10.00',
  });
});

test('a duration of one day is in the singular', async () => {
  const [plan] = await plans();
  const { id } = await stake(String(plan?.id), { days: 1 });
  const { json } = await server.call('GET', `/api/staking/${id}`, { token });
  expect(json['stake']).toMatchObject({ duration: '1 day' });
});

test('an unknown stake is not found', async () => {
  const { status, json } = await server.call('GET', '/api/staking/019c0000-0000-7000-8000-000000000000', { token });
  expect(status).toBe(404);
  expect(json).toMatchObject({ code: 'StakeNotFound', error: 'This stake does not exist.' });
});

test('a new plan is listed in order, audited, and announced to every panel', async () => {
  const stream = await openStream(second.address, { authorization: `Bearer ${byBea.token}` });
  const { status, json } = await addPlan({ days: 45, dailyRate: 0.12 });
  expect(status).toBe(200);
  const plan = json['plan'] as Plan;
  expect(plan).toMatchObject({ days: 45, dailyRate: 0.12, offered: false, waiting: { requestedBy: 'ann' } });
  await stream.heard({ feature: 'staking', id: plan.id });
  await stream.close();
  expect((await plans()).map(({ days }) => days)).toEqual([30, 45, 60]);
  const details = JSON.stringify({ after: { days: 45, dailyRatePartsPerMillion: 1_200, offered: false } });
  expect(await auditOf(plan.id)).toEqual([{ actorId: ann.id, action: 'staking.create-plan', details }]);
});

test('a duration can have several rates, but not the same rate twice', async () => {
  expect((await addPlan({ days: 90, dailyRate: 0.2 })).status).toBe(200);
  expect((await addPlan({ days: 90, dailyRate: 0.25 })).status).toBe(200);
  const { status, json } = await addPlan({ days: 90, dailyRate: 0.2 });
  expect(status).toBe(409);
  expect(json).toMatchObject({
    code: 'PlanExists',
    error: 'There is a plan with this duration and rate already.',
  });
});

test('two concurrent additions of the same plan: one plan and one audit row, the other is refused', async () => {
  for (const days of [101, 102, 103, 104]) {
    const answers = await Promise.all([addPlan({ days, dailyRate: 0.3 }), addPlan({ days, dailyRate: 0.3 }, byBea)]);
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
    const [plan, more] = (await plans()).filter((it) => it.days === days);
    expect(more).toBeUndefined();
    expect(await auditOf(String(plan?.id))).toHaveLength(1);
  }
});

test('offering a plan needs a second approver, withdrawing it does not, and repeating either changes nothing', async () => {
  const { id } = await addOffered({ days: 7, dailyRate: 0.05 });
  const read = async () => (await plans()).find((plan) => plan.id === id);
  expect(await read()).toMatchObject({ offered: true, waiting: null });
  expect((await setOffered(id, false)).json['plan']).toMatchObject({ id, offered: false, waiting: null });
  expect((await setOffered(id, false, byBea)).json['plan']).toMatchObject({ id, offered: false });
  const requested = (await setOffered(id, true)).json['plan'];
  expect(requested).toMatchObject({ id, offered: false, waiting: { facts: offering('7', '5') } });
  expect((await setOffered(id, true, byBea)).json['plan']).toEqual(requested);
  expect(await decide(id, byAnn)).toMatchObject({ status: 409, code: 'OwnRequest' });
  expect(await decide(id, byBea)).toMatchObject({ status: 200 });
  expect(await read()).toMatchObject({ offered: true, waiting: null });
  expect((await auditOf(id)).map(({ action }) => action)).toEqual([
    'staking.create-plan',
    'approvals.approve',
    'staking.stop-offering-plan',
    'staking.ask-to-offer-plan',
    'approvals.approve',
  ]);
});

test('a waiting request to offer a plan can be withdrawn', async () => {
  const { json } = await addPlan({ days: 9, dailyRate: 0.05 });
  const { id, waiting } = json['plan'] as Plan;
  expect((await setOffered(id, false)).json['plan']).toMatchObject({ id, offered: false, waiting: null });
  expect(await decide(id, byBea, waiting?.approval)).toMatchObject({ status: 409, code: 'ApprovalDecided' });
  expect((await plans()).find((plan) => plan.id === id)?.offered).toBe(false);
});

test('every panel is notified when a plan is no longer offered', async () => {
  const { id } = await addOffered({ days: 8, dailyRate: 0.05 });
  const stream = await openStream(second.address, { authorization: `Bearer ${byBea.token}` });
  await setOffered(id, false);
  await stream.heard({ feature: 'staking', id });
  await stream.close();
});

test('two concurrent withdrawals of a plan: one audit row, and both get the same response', async () => {
  for (let round = 0; round < 6; round += 1) {
    const { id } = await addOffered({ days: 200 + round, dailyRate: 0.05 });
    const answers = await Promise.all([setOffered(id, false), setOffered(id, false, byBea)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.json).toEqual(answers[1]?.json);
    const acts = await auditOf(id);
    expect(acts.filter(({ action }) => action === 'staking.stop-offering-plan')).toHaveLength(1);
  }
});

test('an unknown plan cannot be offered', async () => {
  const { status, json } = await setOffered('019c0000-0000-7000-8000-000000000000', true);
  expect(status).toBe(404);
  expect(json['code']).toBe('PlanNotFound');
});

test.each([
  { days: 0, dailyRate: 0.1 },
  { days: 3_651, dailyRate: 0.1 },
  { days: 30.5, dailyRate: 0.1 },
  { days: 30, dailyRate: -0.1 },
  { days: 30, dailyRate: 100.01 },
  { days: 30, dailyRate: 0.12345 },
  { days: 30 },
  { days: 30, dailyRate: 0.4, offered: false },
])('the plan %o is rejected', async (body) => {
  expect((await addPlan(body)).status).toBe(400);
});

test.each([
  ['Support', 403],
  ['Auditor', 403],
  ['Finance', 200],
] as const)('%s can read everything; changing plans returns %i', async (permissionSet, expected) => {
  const { username } = await addAdmin(db.database, { username: `only.${permissionSet}`, permissionSet });
  const theirs = { on: server, token: await server.signIn(username) };
  const [plan] = await plans();
  const { id } = await stake(String(plan?.id));
  for (const path of ['', '/figures', '/plans', `/${id}`]) {
    expect((await server.call('GET', `/api/staking${path}`, { token: theirs.token })).status).toBe(200);
  }
  const days = { Support: 301, Auditor: 302, Finance: 303 }[permissionSet];
  expect((await addPlan({ days, dailyRate: 0.5 }, theirs)).status).toBe(expected);
  expect((await setOffered(String(plan?.id), true, theirs)).status).toBe(expected);
});

test('reading and changing anything requires a session', async () => {
  for (const path of ['', '/figures', '/plans']) {
    expect((await server.call('GET', `/api/staking${path}`)).status).toBe(401);
  }
  expect((await server.call('POST', '/api/staking/plans', { body: { days: 30, dailyRate: 1 } })).status).toBe(401);
});

test('a stake cannot be deleted in SQL', async () => {
  const deletion = db.owner.transaction().execute((tx) => sql`delete from stake`.execute(tx));
  await expect(deletion).rejects.toMatchObject({ code: 'BU002' });
});
