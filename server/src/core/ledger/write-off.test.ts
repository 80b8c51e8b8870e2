import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { insertApproval, updateDecided } from '#server/core/approvals/queries.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { runsOf, setRunLimit } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { takeAway } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';
import { treasuryOf } from './lines.ts';

const { db, server } = await testEnvironment();
const { totalsOf, expectSound } = ledgerOf(db);
const ann = await addAdmin(db.database, { username: 'ann' });
await addAdmin(db.database, { username: 'bea' });
await addAdmin(db.database, { username: 'cleo', permissionSet: 'Support' });
const token = await server.signIn('ann');
const beaToken = await server.signIn('bea');
await fillTreasury(db.owner, 'USD', 10n ** 10n);
await setRunLimit(db.owner, 10n ** 12n);

/** Pays two users half a dollar each, and reverses it after both have spent it. */
async function makeDebtors() {
  const runs = runsOf(db);
  const users = [await addUser(db.owner), await addUser(db.owner)] as const;
  for (const { id: userId } of users) {
    await addStake(db.owner, { userId, units: 1_000_000_000n, placedOn: '2026-03-01' });
  }
  const { id } = await runs.create('stake-payout', new Date('2026-03-04T12:00:00Z'));
  await runs.plan(id);
  await runs.start(id);
  await runs.pay(id);
  for (const { id: userId } of users) {
    await db.owner.transaction().execute((tx) => takeAway(tx, { userId, units: 500_000n }));
  }
  const reversal = await runs.reverse(id);
  await runs.start(reversal.id);
  await runs.pay(reversal.id);
  return { users, reversal };
}
const {
  users: [mira, okoro],
  reversal,
} = await makeDebtors();

const writeOff = async (given: object = {}, by = token) => {
  const body = {
    id: randomUUID(),
    user: mira.id,
    asset: 'USD',
    amount: '0.20',
    reason: 'Not worth a claim.',
    ...given,
  };
  const { status, json } = await server.call('POST', '/api/ledger/write-offs', { token: by, body });
  return { body, id: body.id, status, code: json['code'], state: json['state'] };
};

type Approval = { id: string; subject: string; digest: string; facts: unknown };

async function approvalOf(subject: string) {
  const { json } = await server.call('GET', '/api/approvals?limit=100', { token });
  return (json['approvals'] as Approval[]).find((one) => one.subject === subject);
}

async function approve(subject: string, by = beaToken) {
  const approval = await approvalOf(subject);
  const body = { decision: 'approve', digest: approval?.digest };
  return server.call('POST', `/api/approvals/${approval?.id}/decide`, { token: by, body });
}

test('the profile and the ledger show what a user owes and since which reversal', async () => {
  const { json } = await server.call('GET', `/api/users/${mira.id}`, { token });
  expect(json['user']).toMatchObject({ available: '0.00', receivable: '0.50', receivableGmp: '0.00' });
  const listed = await server.call('GET', `/api/ledger/transfers?user=${mira.id}&kind=receivable`, { token });
  const [transfer] = listed.json['transfers'] as { id: string }[];
  expect(transfer).toMatchObject({ from: 'receivable', to: 'available', amount: '0.50' });
  const read = await server.call('GET', `/api/ledger/transfers/${transfer?.id}`, { token });
  expect(read.json).toMatchObject({ bookedBy: reversal.id, adjusted: null });
});

test('a write-off is requested however small it is, and the treasury bears it after a second approval', async () => {
  const before = await treasuryOf(db.database, 'USD');
  const { id, status, state, body } = await writeOff();
  expect({ status, state }).toEqual({ status: 200, state: 'waiting' });
  expect((await writeOff(body)).state).toBe('waiting');
  expect((await writeOff({ ...body, amount: '0.30' })).code).toBe('AdjustmentDiffers');
  expect(await totalsOf(mira.id)).toMatchObject({ receivableUsd: 500_000n });
  expect((await approvalOf(id))?.facts).toEqual([
    { key: 'user', value: mira.username },
    { key: 'writeOff', value: '200000 USD' },
    { key: 'reason', value: 'Not worth a claim.' },
  ]);
  expect((await approve(id, token)).json['code']).toBe('OwnRequest');
  const tries = await Promise.all(Array.from({ length: 5 }, () => approve(id)));
  expect(tries.filter((answer) => answer.status === 200)).toHaveLength(1);
  expect(await totalsOf(mira.id)).toMatchObject({ receivableUsd: 300_000n, availableUsd: 0n });
  expect(await treasuryOf(db.database, 'USD')).toBe(before);
  const { json } = await server.call('GET', `/api/ledger/transfers?user=${mira.id}&kind=adjustment`, { token });
  expect((json['transfers'] as object[])[0]).toMatchObject({ cause: id, from: 'treasury', to: 'receivable' });
  expect((await writeOff(body)).state).toBe('posted');
  const acts = db.owner.selectFrom('auditEntry').select(['action', 'actorId']).where('subjectId', '=', mira.id);
  expect(await acts.execute()).toEqual([{ action: 'ledger.ask-write-off', actorId: ann.id }]);
  await expectSound();
});

test('nobody writes off more than a user owes, alone or by several requests', async () => {
  expect(await writeOff({ amount: '0.300001' })).toMatchObject({ status: 409, code: 'ReceivableTooLow' });
  expect(await writeOff({ asset: 'GMP' })).toMatchObject({ status: 409, code: 'ReceivableTooLow' });
  for (const amount of ['0', '-0.10', 'x']) {
    expect(await writeOff({ amount })).toMatchObject({ status: 422, code: 'AmountInvalid' });
  }
  expect((await writeOff({ user: randomUUID() })).code).toBe('UserNotFound');
  const requests = await Promise.all([1, 2].map(() => writeOff({ amount: '0.20' })));
  const answers = await Promise.all(requests.map(({ id }) => approve(id)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.find(({ status }) => status !== 200)?.json['code']).toBe('ReceivableTooLow');
  expect(await totalsOf(mira.id)).toMatchObject({ receivableUsd: 100_000n });
  await expectSound();
});

test('an admin who may not move money cannot request a write-off', async () => {
  const cleo = await server.signIn('cleo');
  expect((await writeOff({}, cleo)).status).toBe(403);
});

test('the database writes nothing off that its maker decided alone', async () => {
  const id = randomUUID();
  await sql`insert into adjustment (id, user_id, asset, units, account, other_account, reason, made_by)
    values (${id}, ${okoro.id}, 'USD', 10, 'receivable', 'treasury', 'Alone', ${ann.id})`.execute(db.owner);
  const alone = db.database.transaction().execute(async (tx) => {
    const payload = { userUuid: okoro.id, facts: [] };
    const request = { kind: 'adjustment', subjectId: id, payload, digest: '', digestVersion: 2, hours: 1 } as const;
    const approval = await insertApproval(tx, { ...request, requestedBy: ann.id, asset: 'USD', units: 10n });
    await updateDecided(tx, approval, { state: 'approved', rule: 'limit', decidedBy: ann.id });
    await sql`update adjustment set posted_at = now() where id = ${id}`.execute(tx);
  });
  await expect(alone).rejects.toThrow('NotDecided');
});
