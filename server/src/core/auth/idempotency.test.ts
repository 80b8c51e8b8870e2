import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { runQuery } from '#server/core/db/db.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { fillTreasury } from '#server/core/testing/stakes.ts';
import { addWithdrawal } from '#server/core/testing/transfers.ts';
import { selectAnswer } from './queries.ts';

const { db, server } = await testEnvironment();
const ledger = ledgerOf(db);
await addAdmin(db.database, { username: 'ann' });
await addAdmin(db.database, { username: 'ben' });
const ann = await server.signIn('ann');
const ben = await server.signIn('ben');
const { id: user } = await addUser(db.owner);
await fillTreasury(db.owner, 'USD', 10n ** 10n);

type Sent = { key: string; path: string; body: object; token?: string };
const send = ({ key, path, body, token = ann }: Sent) =>
  server.call('POST', path, { token, body, headers: { 'idempotency-key': key } });
const adjustment = (amount: string) => ({ id: randomUUID(), user, asset: 'USD', amount, reason: 'A test' });
const path = '/api/ledger/adjustments';

test('five concurrent calls with one key have one effect and get the same response', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { id } = await addUser(db.owner);
    const withdrawal = await addWithdrawal(db.owner, { userId: id, units: 5_000_000n });
    const key = randomUUID();
    const approve = { key, path: `/api/withdrawals/${withdrawal}/approve`, body: {} };
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(approve)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
  }
  await ledger.expectSound();
});

test('a different body under the same key is refused and has no effect', async () => {
  const key = randomUUID();
  const body = adjustment('1.00');
  expect((await send({ key, path, body })).status).toBe(200);
  for (const other of [adjustment('1.00'), { ...body, amount: '2.00' }]) {
    const { status, json } = await send({ key, path, body: other });
    expect([status, json['code']]).toEqual([422, 'KeyReused']);
  }
  expect((await ledger.totalsOf(user)).availableUsd).toBe(1_000_000n);
});

test('two administrators can use the same key independently', async () => {
  const key = randomUUID();
  const before = (await ledger.totalsOf(user)).availableUsd;
  expect((await send({ key, path, body: adjustment('1.00') })).status).toBe(200);
  expect((await send({ key, path, body: adjustment('1.00'), token: ben })).status).toBe(200);
  expect((await ledger.totalsOf(user)).availableUsd).toBe(before + 2_000_000n);
});

test('a refused call can be tried again under the same key', async () => {
  const key = randomUUID();
  const { id: poor } = await addUser(db.owner);
  const body = { ...adjustment('-3.00'), user: poor };
  expect((await send({ key, path, body })).json).toMatchObject({ code: 'BalanceTooLow' });
  expect((await send({ key: randomUUID(), path, body: { ...adjustment('5.00'), user: poor } })).status).toBe(200);
  expect((await send({ key, path, body })).status).toBe(200);
  expect((await send({ key, path, body })).status).toBe(200);
  expect((await ledger.totalsOf(poor)).availableUsd).toBe(2_000_000n);
});

test('a repeated bulk decision decides each item once and returns the same response', async () => {
  const { id } = await addUser(db.owner);
  const ids = [];
  for (let n = 0; n < 3; n += 1) ids.push(await addWithdrawal(db.owner, { userId: id, units: 1_000_000n }));
  const many = { key: randomUUID(), path: '/api/withdrawals/decide', body: { ids } };
  const first = await send(many);
  expect(first.json).toMatchObject({ done: 3, refused: [] });
  expect((await send(many)).json).toEqual(first.json);
  await ledger.expectSound();
});

test('a key that is too long is refused', async () => {
  expect((await send({ key: 'x'.repeat(161), path, body: adjustment('1.00') })).status).toBe(400);
});

test('the answer of an earlier call is looked up in the index, however many calls were answered', async () => {
  const { rows } = await sql<{ id: string }>`select id from admin where username = 'ann'`.execute(db.owner);
  const adminId = String(rows[0]?.id);
  await sql`
    insert into answered_call (admin_id, key, call, digest, answer)
    select ${adminId}::uuid, gen_random_uuid()::text, 'call', 'digest', '{}' from generate_series(1, 20000)`.execute(
    db.owner,
  );
  await sql`analyze answered_call`.execute(db.owner);
  const blocks = await db.database.transaction().execute(async (tx) => {
    await selectAnswer(tx, { adminId, apiKeyId: null, key: randomUUID() });
    return runQuery<{ read: number }>(
      tx,
      sql`select sum(pg_stat_get_xact_blocks_fetched(relation::regclass))::int as read
        from unnest(array['answered_call', 'answered_call_key']) as relation`,
    );
  });
  expect(blocks[0]?.read).toBeLessThan(12);
});
