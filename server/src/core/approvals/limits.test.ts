import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUser } from '#server/core/testing/user.ts';
import { decideOn } from '#server/core/testing/second.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addWithdrawal } from '#server/core/testing/transfers.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'root', role: 'SuperAdmin' });
await addAdmin(db.database, { username: 'rita', role: 'SuperAdmin' });
await addAdmin(db.database, { username: 'bea' });
const root = await server.signIn('root');
const rita = await server.signIn('rita');
const bea = await server.signIn('bea');

type Limit = {
  kind: string;
  asset: string;
  limit: string;
  version: number;
  savedBy: string | null;
  approvedBy: string | null;
  waiting: { approval: string; facts: { key: string; value: string; before?: string }[] } | null;
};
const list = async () => (await server.call('GET', '/api/approvals/limits', { token: bea })).json['limits'] as Limit[];
async function limitOf(kind: string, asset = 'USD') {
  const found = (await list()).find((limit) => limit.kind === kind && limit.asset === asset);
  if (!found) throw new Error(`There is no limit for ${kind} in ${asset}.`);
  return found;
}
type Params = { kind: string; asset?: string; limit: string; version?: number; token?: string };
async function ask({ kind, asset = 'USD', limit, token = root, ...query }: Params) {
  const version = query.version ?? (await limitOf(kind, asset)).version;
  const body = { kind, asset, limit, version };
  const { status, json } = await server.call('POST', '/api/approvals/limits', { token, body });
  return { status, code: json['code'] };
}
async function decide(kind: string, token: string, decision: 'approve' | 'deny' = 'approve') {
  const { waiting } = await limitOf(kind);
  return decideOn(server, waiting?.approval ?? '', { token, decision });
}

test('a new installation has default limits without an author', async () => {
  const limits = (await list()).map(({ kind, asset, limit, version, savedBy }) => [
    kind,
    asset,
    limit,
    version,
    savedBy,
  ]);
  expect(limits).toEqual([
    ['alone', 'USD', '1000.00', 1, null],
    ['alone', 'GMP', '0.00', 1, null],
    ['adjustment', 'USD', '100.00', 1, null],
    ['schedule', 'USD', '10000.00', 1, null],
    ['schedule', 'GMP', '10000.00', 1, null],
    ['collection', 'USD', '0.00', 1, null],
    ['collection', 'GMP', '0.00', 1, null],
  ]);
});

test('a changed limit needs a second SuperAdmin and applies once it is approved', async () => {
  const { id: userId } = await addUser(db.owner);
  const pay = async () => {
    const id = await addWithdrawal(db.owner, { userId, units: 600_000_000n });
    await server.call('POST', `/api/withdrawals/${id}/approve`, { token: bea, body: { reference: `tx ${id}` } });
    const { json } = await server.call('GET', `/api/withdrawals/${id}`, { token: bea });
    return (json['withdrawal'] as { status: string }).status;
  };
  expect(await ask({ kind: 'alone', limit: '500.00' })).toMatchObject({ status: 200 });
  expect((await limitOf('alone')).waiting?.facts).toEqual([
    { key: 'limitKind', value: 'alone' },
    { key: 'limit', before: '1000000000 USD', value: '500000000 USD' },
    { key: 'version', value: '1' },
  ]);
  expect(await pay()).toBe('Completed');

  expect((await decide('alone', root)).json['code']).toBe('OwnRequest');
  expect((await decide('alone', bea)).json['code']).toBe('ApproverNotPermitted');
  expect((await decide('alone', rita)).status).toBe(200);
  expect(await limitOf('alone')).toMatchObject({
    limit: '500.00',
    version: 2,
    savedBy: 'root',
    approvedBy: 'rita',
    waiting: null,
  });
  expect(await pay()).toBe('Pending');
});

test('a denied change leaves the limit as it is and can be requested again; only one change can wait', async () => {
  expect(await ask({ kind: 'adjustment', limit: '1.00' })).toMatchObject({ status: 200 });
  expect(await ask({ kind: 'adjustment', limit: '2.00' })).toMatchObject({ status: 409, code: 'LimitWaits' });
  expect((await limitOf('adjustment')).waiting?.facts).toContainEqual(
    expect.objectContaining({ key: 'limit', value: '1000000 USD' }),
  );
  expect((await decide('adjustment', rita, 'deny')).status).toBe(200);
  expect(await limitOf('adjustment')).toMatchObject({ limit: '100.00', version: 1, waiting: null });
  expect(await ask({ kind: 'adjustment', limit: '0.00' })).toMatchObject({ status: 200 });
  expect((await decide('adjustment', rita)).status).toBe(200);
  expect(await limitOf('adjustment')).toMatchObject({ limit: '0.00', version: 2 });
});

test.each([
  ['a negative limit', { kind: 'schedule', limit: '-1.00' }, { status: 400 }],
  ['a limit with a fraction of a unit', { kind: 'schedule', limit: '0.0000001' }, { status: 400 }],
  ['a kind without a limit', { kind: 'settings', limit: '1.00', version: 1 }, { status: 400 }],
  ['the current limit', { kind: 'schedule', limit: '10000.00' }, { status: 409, code: 'LimitUnchanged' }],
  ['an old version', { kind: 'schedule', limit: '5.00', version: 0 }, { status: 409, code: 'LimitConflict' }],
  [
    'an asset without a limit',
    { kind: 'adjustment', asset: 'GMP', limit: '5.00', version: 1 },
    { status: 404, code: 'LimitNotFound' },
  ],
  ['a change by an Admin', { kind: 'schedule', limit: '5.00', token: bea }, { status: 403 }],
])('%s is refused', async (_what, query, expected) => {
  expect(await ask(query)).toMatchObject(expected);
});

test('an Admin cannot deny a change of limits, even when its maker may no longer make it', async () => {
  expect(await ask({ kind: 'schedule', limit: '5.00' })).toMatchObject({ status: 200 });
  await sql`update admin set role = 'Admin' where username = 'root'`.execute(db.owner);
  const { status, json } = await decide('schedule', bea, 'deny');
  expect({ status, code: json['code'] }).toEqual({ status: 409, code: 'ApproverNotPermitted' });
  expect((await decide('schedule', rita, 'deny')).status).toBe(200);
});
