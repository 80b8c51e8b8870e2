import { Outcome } from 'contract/withdrawal-states.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { held, paid, returned, settlementOf } from '#server/core/testing/settlement.ts';
import { openStream } from '#server/core/testing/stream.ts';
import { addWithdrawal } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';

const { db, server } = await testEnvironment();
const { totalsOf, expectSound } = ledgerOf(db);
const settlement = await settlementOf({ db, server });
const { ann, bea, addClerk, call, settle, read, approved, sent, unknown, decideFailure, actsOn } = settlement;

test('a withdrawal approved without a reference is held until it is sent and confirmed', async () => {
  const { id, user } = await approved();
  expect(await totalsOf(user)).toMatchObject(held);
  await expectSound();
  const stream = await openStream(server.address, { authorization: `Bearer ${ann.token}` });

  const sending = await settle(id, { outcome: 'sent', reference: 'tx-sent' });
  expect(sending.json['withdrawal']).toMatchObject({
    status: 'Pending',
    state: 'sent',
    reference: 'tx-sent',
    sentAt: expect.stringMatching(/Z$/),
    sentBy: ann.username,
    sentSource: 'administrator',
    settledAt: null,
  });
  await stream.heard({ feature: 'withdrawals', id });
  await stream.close();
  expect(await totalsOf(user)).toMatchObject(held);

  const confirmation = await settle(id, { outcome: 'confirmed' }, bea);
  expect(confirmation.json['withdrawal']).toMatchObject({
    status: 'Completed',
    state: 'confirmed',
    settledBy: bea.username,
    settledSource: 'administrator',
  });
  expect(await totalsOf(user)).toMatchObject(paid);
  expect(await actsOn(id)).toEqual([
    `withdrawals.approve ${ann.id}`,
    `withdrawals.sent ${ann.id}`,
    `withdrawals.confirmed ${bea.id}`,
  ]);
  await expectSound();
});

test('the failure of a withdrawal that was never sent returns the money exactly, without a second approver', async () => {
  const { id, user } = await approved();
  const { json } = await settle(id, { outcome: 'failed', reason: 'The wallet does not exist.' });
  expect(json['withdrawal']).toMatchObject({
    status: 'Failed',
    state: 'failed',
    reason: 'The wallet does not exist.',
    settledBy: ann.username,
    failureRequestedBy: null,
  });
  expect(await totalsOf(user)).toMatchObject(returned);
  await expectSound();
});

test.each(['sent', 'unknown'] as const)(
  'the failure of a withdrawal that is %s needs a second approver, and then returns the money exactly',
  async (state) => {
    const { id, user } = await settlement[state]();
    const { json } = await settle(id, { outcome: 'failed', reason: 'The transfer bounced.' });
    expect(json['withdrawal']).toMatchObject({ state, failureRequestedBy: ann.username, preparedBy: null });
    expect(await totalsOf(user)).toMatchObject(held);
    expect((await settle(id, { outcome: 'failed', reason: 'Again.' }, bea)).json['code']).toBe('ApprovalWaiting');
    expect((await decideFailure(id, ann)).json['code']).toBe('OwnRequest');
    await expectSound();

    expect((await decideFailure(id)).status).toBe(200);
    expect(await read(id)).toMatchObject({
      status: 'Failed',
      state: 'failed',
      reason: 'The transfer bounced.',
      settledBy: bea.username,
      failureRequestedBy: ann.username,
    });
    expect(await totalsOf(user)).toMatchObject(returned);
    await expectSound();
  },
);

test('the database refuses to return money that may have been sent without a second approver', async () => {
  const { id } = await sent();
  const fail = sql`
    update withdrawal set state = 'failed', reason = 'x', settled_at = now(), settled_by = ${ann.id},
      settled_source = 'administrator' where id = ${id}`;
  await expect(fail.execute(db.database)).rejects.toMatchObject({ code: 'BU001', message: 'NotDecided' });
});

test('a denied failure leaves the withdrawal as it is, and it can still be confirmed', async () => {
  const { id, user } = await sent();
  await settle(id, { outcome: 'failed', reason: 'The transfer bounced.' });
  await decideFailure(id, bea, 'deny');
  expect((await settle(id, { outcome: 'confirmed' })).json['withdrawal']).toMatchObject({
    state: 'confirmed',
    reason: null,
    failureRequestedBy: null,
  });
  expect(await totalsOf(user)).toMatchObject(paid);
  await expectSound();
});

test('a confirmation makes a waiting request for a failure void', async () => {
  const { id, user } = await sent();
  await settle(id, { outcome: 'failed', reason: 'The transfer bounced.' });
  await settle(id, { outcome: 'confirmed' }, bea);
  const { rows } = await sql<{ state: string }>`
    select state from approval where subject_id = ${id} order by requested_at desc limit 1`.execute(db.owner);
  expect(rows).toEqual([{ state: 'void' }]);
  expect(await totalsOf(user)).toMatchObject(paid);
  await expectSound();
});

test('an unknown withdrawal is confirmed when it arrived, and is never sent again', async () => {
  const { id, user } = await unknown();
  expect(await read(id)).toMatchObject({ status: 'Pending', state: 'unknown', unknownBy: ann.username });
  expect((await settle(id, { outcome: 'sent', reference: 'another' })).json['code']).toBe('OutcomeNotPossible');
  expect((await call(ann, `/api/withdrawals/${id}/approve`, {})).json['code']).toBe('WithdrawalDecided');
  expect((await settle(id, { outcome: 'confirmed' })).json['withdrawal']).toMatchObject({ state: 'confirmed' });
  expect(await totalsOf(user)).toMatchObject(paid);
  await expectSound();
});

test('once a withdrawal is confirmed or has failed, every other outcome is refused and the same one changes nothing', async () => {
  const confirmed = await sent();
  await settle(confirmed.id, { outcome: 'confirmed' });
  const failed = await approved();
  await settle(failed.id, { outcome: 'failed', reason: 'No.' });
  for (const [id, state] of [
    [confirmed.id, 'confirmed'],
    [failed.id, 'failed'],
  ] as const) {
    const before = await read(id);
    for (const outcome of Outcome.options) {
      const { status, json } = await settle(id, { outcome, reason: 'Other.', reference: `tx ${confirmed.id}` });
      const repeated = state === 'confirmed' && (outcome === 'confirmed' || outcome === 'sent');
      expect({ outcome, status, code: json['code'] }).toEqual(
        repeated ? { outcome, status: 200, code: undefined } : { outcome, status: 409, code: 'WithdrawalSettled' },
      );
    }
    expect((await settle(id, { outcome: state, reason: 'Other.' })).status).toBe(200);
    expect(await read(id)).toEqual(before);
  }
  expect(await actsOn(failed.id)).toHaveLength(2);
  await expectSound();
});

test('a withdrawal that is not approved has no outcome', async () => {
  const { id: userId } = await addUser(db.owner);
  const id = await addWithdrawal(db.owner, { userId, units: 1n });
  for (const outcome of Outcome.options) {
    expect((await settle(id, { outcome, reason: 'No.', reference: `tx ${id}` })).json['code']).toBe('NotApproved');
  }
  await call(ann, `/api/withdrawals/${id}/reject`, { reason: 'No.' });
  expect((await settle(id, { outcome: 'confirmed', reference: `tx ${id}` })).json['code']).toBe('WithdrawalSettled');
});

test('nothing is sent or confirmed without a reference, and none fails without a reason', async () => {
  const { id } = await approved();
  expect((await settle(id, { outcome: 'sent' })).json['code']).toBe('ReferenceRequired');
  expect((await settle(id, { outcome: 'confirmed' })).json['code']).toBe('ReferenceRequired');
  expect((await settle(id, { outcome: 'failed' })).json['code']).toBe('ReasonRequired');
  expect((await settle(id, { outcome: 'sent', reference: 'r'.repeat(201) })).status).toBe(400);
  expect((await settle(id, { outcome: 'confirmed', reference: 'late' })).json['withdrawal']).toMatchObject({
    state: 'confirmed',
    reference: 'late',
  });
});

test('a withdrawal is not confirmed under another reference than the one under which it was sent', async () => {
  const { id, reference } = await sent();
  expect((await settle(id, { outcome: 'confirmed', reference: 'other' })).json['code']).toBe('ReferenceDiffers');
  expect((await settle(id, { outcome: 'sent', reference: 'other' })).json['code']).toBe('OutcomeNotPossible');
  expect((await settle(id, { outcome: 'confirmed', reference })).status).toBe(200);
});

test('of ten concurrent reports with one reference, one withdrawal gets it', async () => {
  const many = [];
  for (let count = 0; count < 10; count += 1) many.push(await approved());
  const answers = await Promise.all(many.map(({ id }) => settle(id, { outcome: 'sent', reference: 'the one' })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ json }) => json['code'] === 'ReferenceTaken')).toHaveLength(9);
  const { id: userId } = await addUser(db.owner);
  const another = await addWithdrawal(db.owner, { userId, units: 1n });
  const { json } = await call(ann, `/api/withdrawals/${another}/approve`, { reference: 'the one' });
  expect(json['code']).toBe('ReferenceTaken');
});

test('one administrator confirms and another reports a failure at the same time: one effect', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id, user } = await approved();
    const answers = await Promise.all([
      settle(id, { outcome: 'confirmed', reference: `tx ${id}` }),
      settle(id, { outcome: 'failed', reason: 'It bounced.' }, bea),
    ]);
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
    const { state } = await read(id);
    expect(await totalsOf(user)).toMatchObject(state === 'confirmed' ? paid : returned);
  }
  await expectSound();
});

test('an approved failure and a confirmation at the same time have one effect', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id, user } = await sent();
    await settle(id, { outcome: 'failed', reason: 'It bounced.' });
    const answers = await Promise.all([settle(id, { outcome: 'confirmed' }), decideFailure(id)]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const { state } = await read(id);
    expect(await totalsOf(user)).toMatchObject(state === 'confirmed' ? paid : returned);
  }
  await expectSound();
});

test.each([
  ['Support', 403],
  ['Auditor', 403],
  ['Finance', 200],
] as const)('recording an outcome by an Admin narrowed to %s returns %i', async (permissionSet, expected) => {
  const { id } = await approved();
  const clerk = await addClerk(permissionSet);
  expect((await settle(id, { outcome: 'sent', reference: `tx ${id}` }, clerk)).status).toBe(expected);
});

test('the settlement counts the open withdrawals of each state, and the list shows those of one', async () => {
  for (const add of [approved, sent, unknown]) await add();
  const { json } = await server.call('GET', '/api/withdrawals/settlement', { token: ann.token });
  const sums = json['settlement'] as Record<string, { count: number; oldest: string | null }>;
  for (const open of ['approved', 'sent', 'unknown']) {
    const list = await server.call('GET', `/api/withdrawals?open=${open}&limit=100`, { token: ann.token });
    const rows = list.json['withdrawals'] as { state: string }[];
    expect(new Set(rows.map(({ state }) => state))).toEqual(new Set([open]));
    expect(sums[open]?.count).toBe(rows.length);
    expect(list.json['total']).toEqual({ count: rows.length, capped: false });
  }
});
