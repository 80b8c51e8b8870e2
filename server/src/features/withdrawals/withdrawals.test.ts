import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import type { Tx } from '#server/core/db/db.ts';
import { decideInSql } from '#server/core/testing/decisions.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin, testServer } from '#server/core/testing/server.ts';
import { openStream } from '#server/core/testing/stream.ts';

const { db, server } = await testEnvironment();
const second = await testServer(db.url);
afterAll(() => second[Symbol.asyncDispose]());

const ann = await addAdmin(db.database, { username: 'ann' });
const bea = await addAdmin(db.database, { username: 'bea', permissionSet: 'Finance' });
const token = await server.signIn('ann');
const beaToken = await second.signIn('bea');
const mira = await addUser(db.owner, { username: 'mira.k' });

const request = (values: object = {}) =>
  db.owner.transaction().execute((tx) =>
    tx
      .insertInto('withdrawal')
      .values({
        userId: mira.id,
        amountUsd: 250_500_000n,
        wallet: 'So1WalletOfMira',
        balanceUsd: 900_000_000n,
        gmpShares: 40n,
        prevSlx: 7n,
        slxPoints: 12n,
        ...values,
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );

const setSwitch = (enabled: boolean, on = server, by = token) =>
  on.call('POST', '/api/withdrawals/switch', { token: by, body: { enabled } });
const readSwitch = async () => (await server.call('GET', '/api/withdrawals/switch', { token })).json['switch'];
const switchChanges = () =>
  db.owner
    .selectFrom('auditEntry')
    .select(['actorId', 'details'])
    .where('action', '=', 'withdrawals.set-switch')
    .orderBy('seq')
    .execute();

test('a withdrawal has every field of the specification and its decision', async () => {
  const { id } = await request({
    state: 'rejected',
    decidedAt: new Date('2026-03-02T10:00:00Z'),
    decidedBy: ann.id,
    reason: 'The wallet refused it.',
    reference: '5sig',
    createdAt: new Date('2026-03-01T09:00:00Z'),
  });
  const { status, json } = await server.call('GET', `/api/withdrawals/${id}`, { token });
  expect(status).toBe(200);
  expect(json['withdrawal']).toEqual({
    id,
    platformId: null,
    user: 'mira.k',
    userUuid: mira.id,
    amount: '250.50',
    wallet: 'So1WalletOfMira',
    status: 'Failed',
    state: 'rejected',
    date: '2026-03-01T09:00:00.000Z',
    gmpShares: '40',
    prevSLX: '7',
    slxPoints: '12',
    balance: '900.00',
    decidedAt: '2026-03-02T10:00:00.000Z',
    decidedBy: 'ann',
    reason: 'The wallet refused it.',
    reference: '5sig',
    mode: null,
    askedAt: null,
    sentAt: null,
    sentBy: null,
    sentSource: null,
    unknownAt: null,
    unknownBy: null,
    unknownSource: null,
    settledAt: null,
    settledBy: null,
    settledSource: null,
    failureRequestedBy: null,
    preparedBy: null,
    waitsUntil: null,
    waitingApproval: null,
    signals: ['new wallet', 'first withdrawal'],
  });
});

test('an id that does not exist is answered with WithdrawalNotFound', async () => {
  const { status, json } = await server.call('GET', '/api/withdrawals/019c0000-0000-7000-8000-000000000000', { token });
  expect(status).toBe(404);
  expect(json).toMatchObject({ code: 'WithdrawalNotFound', error: 'This withdrawal does not exist.' });
});

test('a withdrawal that has ended can never be changed, not even by the owner of the tables', async () => {
  const ends = { settledAt: new Date(), settledSource: 'administrator', reference: 'tx of an end' } as const;
  for (const end of [{ state: 'confirmed', mode: 'manual', ...ends }, { state: 'rejected' }]) {
    const { id } = await request();
    const update = (tx: Tx, values: object) => tx.updateTable('withdrawal').set(values).where('id', '=', id).execute();
    const change = (database: typeof db.owner, values: object) =>
      database.transaction().execute((tx) => update(tx, values));
    const decision = { kind: 'withdrawal', subjectId: id, units: 250_500_000n, requestedBy: ann.id } as const;
    await db.database.transaction().execute(async (tx) => {
      await decideInSql(tx, decision);
      await update(tx, { ...end, decidedAt: new Date(), reason: 'As agreed.' });
    });
    for (const database of [db.database, db.owner]) {
      const pending = change(database, { state: 'requested', decidedAt: null });
      await expect(pending).rejects.toMatchObject({ code: 'BU001', message: 'WithdrawalSettled' });
      await expect(change(database, { amountUsd: 1n })).rejects.toMatchObject({ message: 'WithdrawalSettled' });
    }
  }
  const deletion = db.owner.transaction().execute((tx) => sql`delete from withdrawal`.execute(tx));
  await expect(deletion).rejects.toMatchObject({ code: 'BU002' });
});

test('an incomplete decision cannot be stored', async () => {
  await expect(request({ state: 'approved' })).rejects.toMatchObject({ code: '23514' });
  await expect(request({ decidedAt: new Date() })).rejects.toMatchObject({ code: '23514' });
  await expect(request({ state: 'rejected', decidedAt: new Date() })).rejects.toMatchObject({ code: '23514' });
});

test('withdrawals are enabled by default; a change is announced and records the administrator and the time', async () => {
  expect(await readSwitch()).toEqual({ enabled: true, changedBy: null, changedAt: null });
  const stream = await openStream(second.address, { authorization: `Bearer ${beaToken}` });

  const { status, json } = await setSwitch(false);
  expect(status).toBe(200);
  expect(json['switch']).toEqual({ enabled: false, changedBy: 'ann', changedAt: expect.stringMatching(/Z$/) });
  expect(await readSwitch()).toEqual(json['switch']);
  await stream.heard({ feature: 'withdrawals', id: 'switch' });
  await stream.close();

  await setSwitch(true, second, beaToken);
  expect(await readSwitch()).toMatchObject({ enabled: true, changedBy: 'bea' });
  expect(await switchChanges()).toEqual([
    { actorId: ann.id, details: JSON.stringify({ before: { enabled: true }, after: { enabled: false } }) },
    { actorId: bea.id, details: JSON.stringify({ before: { enabled: false }, after: { enabled: true } }) },
  ]);
});

test('two administrators set the switch concurrently: one audit row, and both get the same response', async () => {
  for (let round = 0; round < 8; round += 1) {
    const enabled = round % 2 === 1;
    const before = (await switchChanges()).length;
    const answers = await Promise.all([setSwitch(enabled), setSwitch(enabled, second, beaToken)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.json).toEqual(answers[1]?.json);
    expect(await switchChanges()).toHaveLength(before + 1);
  }
});

test('two concurrent opposite changes: the last one wins, and the audit log agrees', async () => {
  for (let round = 0; round < 8; round += 1) {
    await Promise.all([setSwitch(true), setSwitch(false, second, beaToken)]);
    const last = (await switchChanges()).at(-1);
    const now = (await readSwitch()) as { enabled: boolean; changedBy: string };
    const { after } = JSON.parse(last?.details ?? '{}') as { after: { enabled: boolean } };
    expect(now.enabled).toBe(after.enabled);
    expect(last?.actorId).toBe(now.changedBy === 'ann' ? ann.id : bea.id);
  }
});

test.each([
  ['Support', 403],
  ['Auditor', 403],
  ['Finance', 200],
] as const)('%s can read everything; setting the switch returns %i', async (permissionSet, expected) => {
  const { username } = await addAdmin(db.database, { username: `only.${permissionSet}`, permissionSet });
  const theirs = await server.signIn(username);
  const { id } = await request();
  for (const path of ['', '/figures', '/switch', `/${id}`]) {
    expect((await server.call('GET', `/api/withdrawals${path}`, { token: theirs })).status).toBe(200);
  }
  const { enabled } = (await readSwitch()) as { enabled: boolean };
  expect((await setSwitch(!enabled, server, theirs)).status).toBe(expected);
  expect(await readSwitch()).toMatchObject({ enabled: expected === 200 ? !enabled : enabled });
});

test('reading and setting the switch requires a session', async () => {
  for (const path of ['', '/figures', '/switch']) {
    expect((await server.call('GET', `/api/withdrawals${path}`)).status).toBe(401);
  }
  expect((await server.call('POST', '/api/withdrawals/switch', { body: { enabled: true } })).status).toBe(401);
});

test.each([{}, { enabled: 'yes' }, { enabled: true, changedBy: 'bea' }])('the body %o is rejected', async (body) => {
  expect((await server.call('POST', '/api/withdrawals/switch', { token, body })).status).toBe(400);
});
