import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { TreasuryAsset } from 'contract/ledger.ts';
import { writeAmount } from 'contract/core/money.ts';
import { sql } from 'kysely';
import type { z } from 'zod';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { runsOf } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { eventually } from '#server/core/testing/stream.ts';
import { takeAway } from '#server/core/testing/transfers.ts';
import { lockTreasury, treasuryOf } from './lines.ts';

const { db, server } = await testEnvironment();
const { expectSound } = ledgerOf(db);
await addAdmin(db.database, { username: 'ann', permissionSet: 'Finance' });
await addAdmin(db.database, { username: 'bea' });
const ann = await server.signIn('ann');
const bea = await server.signIn('bea');

const held = (asset: z.output<typeof TreasuryAsset> = 'USD') =>
  db.owner.transaction().execute((tx) => treasuryOf(tx, asset));

type FundOptions = { asset?: string; id?: string; token?: string };

const fund = async (amount: string, { asset = 'USD', id = randomUUID(), token = ann }: FundOptions = {}) => {
  const body = { id, user: null, asset, amount, reason: 'Brought in for October.' };
  const { status, json } = await server.call('POST', '/api/ledger/adjustments', { token, body });
  return { status, code: json['code'], state: json['state'], id };
};

async function decide(subject: string) {
  const { json } = await server.call('GET', '/api/approvals?limit=100', { token: bea });
  const all = json['approvals'] as { id: string; subject: string; digest: string; userUuid: unknown; facts: unknown }[];
  const approval = all.find((one) => one.subject === subject);
  const body = { decision: 'approve', digest: approval?.digest };
  const answer = await server.call('POST', `/api/approvals/${approval?.id}/decide`, { token: bea, body });
  return { approval, status: answer.status, code: answer.json['code'] };
}

test.each(['USD', 'GMP'] as const)('the treasury receives %s from outside after a second approval', async (asset) => {
  const before = await held(asset);
  const { id, ...response } = await fund('250000.50', { asset });
  expect(response).toMatchObject({ status: 200, state: 'waiting' });
  expect(await held(asset)).toBe(before);
  expect(await decide(id)).toMatchObject({
    status: 200,
    approval: {
      userUuid: null,
      facts: [
        { key: 'treasury', value: 'in' },
        { key: 'adjustment', value: `250000500000 ${asset}` },
        { key: 'reason', value: 'Brought in for October.' },
      ],
    },
  });
  expect(await held(asset)).toBe(before + 250_000_500_000n);
  const { json } = await server.call('GET', '/api/ledger/transfers?kind=adjustment', { token: ann });
  expect(json['transfers']).toContainEqual(
    expect.objectContaining({ cause: id, user: null, asset, from: 'outside', to: 'treasury', amount: '250000.50' }),
  );
  await expectSound();
});

test('an adjustment of the treasury is in the audit log', async () => {
  const { id } = await fund('1', { token: bea });
  const acts = db.owner.selectFrom('auditEntry').select(['action', 'details']).where('subjectId', '=', id);
  const [act] = await acts.execute();
  expect(act?.action).toBe('ledger.adjust');
  expect(JSON.parse(act?.details ?? '')).toEqual({
    adjustment: id,
    account: 'treasury',
    asset: 'USD',
    amount: '1.00',
    reason: 'Brought in for October.',
  });
});

test('a repeated request has no further effect, and a different one with the same id is refused', async () => {
  const before = await held();
  const { id } = await fund('2', { token: bea });
  expect(await fund('2', { id, token: bea })).toMatchObject({ status: 200, state: 'posted' });
  expect(await fund('3', { id, token: bea })).toMatchObject({ status: 422, code: 'AdjustmentDiffers' });
  expect(await held()).toBe(before + 2_000_000n);
});

test('concurrent deductions cannot take more from the treasury than it has', async () => {
  await fillTreasury(db.owner, 'GMP', 5_000_000n);
  const has = await held('GMP');
  const deduction = (has * 3n) / 5n;
  const requests = await Promise.all([1, 2, 3].map(() => fund(writeAmount(-deduction, 'GMP'), { asset: 'GMP' })));
  const decided = await Promise.all(requests.map(({ id }) => decide(id)));
  expect(decided.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409, 409]);
  expect(decided.filter(({ code }) => code === 'TreasuryTooLow')).toHaveLength(2);
  expect(await held('GMP')).toBe(has - deduction);
  await expectSound();
});

test('a deduction waits for a concurrent payment from the treasury and then sees the new balance', async () => {
  await fillTreasury(db.owner, 'USD', 5_000_000n);
  const has = await held();
  const { id } = await fund(writeAmount(-has, 'USD'));
  const { deciding } = await db.owner.transaction().execute(async (tx) => {
    await lockTreasury(tx, 'USD');
    const started = decide(id);
    await eventually(isLockAwaited);
    await takeAway(tx, { userId: null, units: 1n });
    return { deciding: started };
  });
  expect(await deciding).toMatchObject({ status: 409, code: 'TreasuryTooLow' });
  expect(await held()).toBe(has - 1n);
});

async function isLockAwaited() {
  const { rows } = await sql`select from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`.execute(db.owner);
  return rows.length > 0;
}

test('a deduction cannot take what an active run still has to pay', async () => {
  const { id: userId } = await addUser(db.owner);
  await addStake(db.owner, { userId, units: 10_000_000_000n, placedOn: '2026-03-01' });
  await fillTreasury(db.owner, 'USD', 100_000_000n);
  const runs = runsOf(db);
  await runs.save('stake-payout', { enabled: true, baseReward: 50, bonusReward: 20, loyaltyReward: 30 });
  const { id } = await runs.create('stake-payout', new Date('2026-03-04T12:00:00Z'));
  const { pays, setsAside } = await runs.plan(id);
  await runs.start(id);
  const spare = (await held()) - pays - setsAside;
  const tooMuch = await fund(writeAmount(-spare - 1n, 'USD'));
  expect(await decide(tooMuch.id)).toMatchObject({ status: 409, code: 'TreasuryTooLow' });
  const enough = await fund(writeAmount(-spare, 'USD'));
  expect(await decide(enough.id)).toMatchObject({ status: 200 });
  expect(await runs.pay(id)).toMatchObject({ state: 'completed' });
  await expectSound();
});

test.each(['SLX', 'SHARE', 'SOL'])('the treasury cannot be adjusted in %s', async (asset) => {
  expect((await fund('1', { asset })).status).toBe(400);
});
