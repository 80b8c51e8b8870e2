import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { platformId } from '#server/core/platform-id.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addApiKey } from '#server/core/testing/api-key.ts';
import { inboundScopes, platformOf, userItem } from '#server/core/testing/inbound.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { holdingLock } from '#server/core/testing/locks.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { eventually, openStream } from '#server/core/testing/stream.ts';
import { addUser } from '#server/core/testing/user.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.owner, { username: 'ann' });
const { secret } = await addApiKey(db.owner, { scopes: [...inboundScopes] });
const { call, send } = platformOf(server, secret);
const { totalsOf, expectSound } = ledgerOf(db);

const at = '2026-02-03T04:05:06.789Z';
let sent = 0;

const depositItem = (user: string, chosen: object = {}) => {
  sent += 1;
  return { id: `deposit-${sent}`, user, asset: 'USD', amount: '12.5', at, ...chosen };
};

async function newUser() {
  const { id, userId: number } = await addUser(db.owner);
  return { id, number, totals: () => totalsOf(id) };
}

test('a deposit adds its exact amount to what the user has', async () => {
  const { id: userId, number, totals } = await newUser();
  const item = depositItem(number, { amount: '12.345678' });
  expect(await send('deposits', item)).toEqual(['stored']);
  expect(await totals()).toMatchObject({ availableUsd: 12_345_678n, depositUsd: 12_345_678n });
  const id = platformId('deposit', item.id);
  const row = await db.owner.selectFrom('deposit').selectAll().where('id', '=', id).executeTakeFirst();
  expect(row).toMatchObject({ userId, asset: 'USD', units: 12_345_678n, recordedAt: new Date(at) });
  await expectSound();
});

test('every asset of users can be paid in, each with its decimals', async () => {
  const { number, totals } = await newUser();
  const outcomes = await send(
    'deposits',
    depositItem(number, { asset: 'GMP', amount: '0.000001' }),
    depositItem(number, { asset: 'SLX', amount: '40' }),
    depositItem(number, { asset: 'SHARE', amount: '7' }),
    depositItem(number, { asset: 'SHARE', amount: '7.5' }),
    depositItem(number, { asset: 'USD', amount: '0.0000001' }),
  );
  expect(outcomes).toEqual(['stored', 'stored', 'stored', 'AmountInvalid', 'AmountInvalid']);
  expect(await totals()).toMatchObject({ availableGmp: 1n, slx: 40n, gmpShares: 7n, availableUsd: 0n });
  expect((await call('deposits', [depositItem(number, { asset: 'SOL' })])).status).toBe(400);
});

test('the same deposit sent again is a duplicate, and other content under its id is refused', async () => {
  const [user, other] = [await newUser(), await newUser()];
  const item = depositItem(user.number);
  expect(await send('deposits', item, item)).toEqual(['stored', 'duplicate']);
  const again = [
    item,
    { ...item, amount: '12.50' },
    { ...item, amount: '12.51' },
    { ...item, user: other.number },
    { ...item, user: 'nobody' },
    { ...item, asset: 'GMP' },
    { ...item, amount: 'much' },
    { ...item, at: '2026-02-03T04:05:06.788Z' },
  ];
  expect(await send('deposits', ...again)).toEqual(['duplicate', 'duplicate', ...Array(6).fill('IdReused')]);
  expect((await user.totals()).availableUsd).toBe(12_500_000n);
  expect((await other.totals()).availableUsd).toBe(0n);
});

test('each item is refused with its own code, and the others are stored', async () => {
  const { number, totals } = await newUser();
  const { userId: gone } = await addUser(db.owner, { retiredAt: new Date() });
  const cases: [object, string][] = [
    [{ user: 'nobody' }, 'UserUnknown'],
    [{ user: gone }, 'UserDeleted'],
    ...['0', '-1', '', '1e3', '1,5', '1000000000.000001'].map((amount): [object, string] => [
      { amount },
      'AmountInvalid',
    ]),
    [{ at: '2999-01-01T00:00:00Z' }, 'TimeInvalid'],
  ];
  const items = cases.map(([change]) => depositItem(number, change));
  expect(await send('deposits', depositItem(number), ...items, depositItem(number))).toEqual([
    'stored',
    ...cases.map(([, code]) => code),
    'stored',
  ]);
  expect((await totals()).availableUsd).toBe(25_000_000n);
});

test('a refusal says why, and a refused id can be sent again with other content', async () => {
  const item = depositItem('U-later');
  const { json } = await call('deposits', [item]);
  expect(json['results']).toEqual([
    { id: item.id, outcome: 'refused', code: 'UserUnknown', reason: 'No user has this ID. Send the user first.' },
  ]);
  await send('users', userItem({ id: 'U-later' }));
  expect(await send('deposits', item)).toEqual(['stored']);
});

test('five identical calls at once pay each deposit in once', async () => {
  const users = await Promise.all(Array.from({ length: 10 }, newUser));
  const items = users.flatMap(({ number }) => [depositItem(number), depositItem(number)]);
  const answers = await Promise.all(Array.from({ length: 5 }, () => send('deposits', ...items)));
  const all = (outcome: string) => answers.filter((outcomes) => outcomes.every((it) => it === outcome)).length;
  expect([all('stored'), all('duplicate')]).toEqual([1, 4]);
  for (const { totals } of users) expect((await totals()).availableUsd).toBe(25_000_000n);
  await expectSound();
});

test('overlapping calls in opposite order do not block each other', async () => {
  const users = await Promise.all(Array.from({ length: 20 }, newUser));
  const rounds = 5;
  for (let round = 0; round < rounds; round += 1) {
    const items = users.map(({ number }) => depositItem(number));
    const [forward, backward] = await Promise.all([
      send('deposits', ...items),
      send('deposits', ...items.toReversed(), ...users.map(({ number }) => depositItem(number)).toReversed()),
    ]);
    const stored = [...forward, ...backward].filter((outcome) => outcome === 'stored');
    expect(stored).toHaveLength(2 * users.length);
  }
  for (const { totals } of users) expect((await totals()).availableUsd).toBe(2n * BigInt(rounds) * 12_500_000n);
});

test('one id cannot be used for two users or assets at the same time', async () => {
  const [one, other] = [await newUser(), await newUser()];
  const item = depositItem(one.number);
  const answers = await Promise.all([
    send('deposits', item),
    send('deposits', { ...item, user: other.number, asset: 'GMP' }),
  ]);
  expect(answers.flat().toSorted()).toEqual(['IdReused', 'stored']);
  await expectSound();
});

test('a call whose connection is lost stores nothing and can be repeated', async () => {
  const { id, number, totals } = await newUser();
  const items = [depositItem(number), depositItem(number)];
  const release = await holdingLock(db.owner, (tx) =>
    sql`select from user_total where user_id = ${id}::uuid for update`.execute(tx),
  );
  const answer = call('deposits', items);
  await eventually(async () => {
    const { rows } = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%lock_totals%'`.execute(db.owner);
    return rows.length > 0;
  });
  expect((await answer).status).toBe(503);
  await release();
  expect((await totals()).availableUsd).toBe(0n);
  expect(await send('deposits', ...items)).toEqual(['stored', 'stored']);
  expect((await totals()).availableUsd).toBe(25_000_000n);
});

test('a call that fails after its deposits were inserted leaves nothing', async () => {
  const { number, totals } = await newUser();
  const item = depositItem(number);
  await sql`alter table transfer add constraint no_more check (units <> 12500000) not valid`.execute(db.owner);
  expect((await call('deposits', [depositItem(number, { amount: '1' }), item])).status).toBe(500);
  await sql`alter table transfer drop constraint no_more`.execute(db.owner);
  expect((await totals()).availableUsd).toBe(0n);
  expect(await send('deposits', item)).toEqual(['stored']);
});

test('a thousand deposits are one call, in a few statements', async () => {
  const users = await Promise.all(Array.from({ length: 50 }, newUser));
  const items = Array.from({ length: 1_000 }, (_, index) => depositItem(users[index % 50]?.number ?? ''));
  expect(new Set(await send('deposits', ...items))).toEqual(new Set(['stored']));
  expect(new Set(await send('deposits', ...items))).toEqual(new Set(['duplicate']));
  await expectSound();
});

test('a live update tells of deposits', async () => {
  const token = await server.signIn('ann');
  const stream = await openStream(server.address, { authorization: `Bearer ${token}` });
  await send('deposits', depositItem((await newUser()).number));
  await stream.heard({ feature: 'ledger', id: 'inbound' });
  await stream.heard({ feature: 'users', id: 'inbound' });
  await stream.close();
});
