import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { addApiKey } from '#server/core/testing/api-key.ts';
import { addCrowd } from '#server/core/testing/crowd.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { runsOf, setRunLimit } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { addUser } from '#server/core/testing/user.ts';

/* What a platform reads about the payments of a run. */
const { db, server } = await testEnvironment();
const runs = runsOf(db, { linesInChunk: 50 });
await addAdmin(db.owner, { username: 'ann' });
await fillTreasury(db.owner, 'USD', 10n ** 15n);
await setRunLimit(db.owner, 10n ** 15n);
const { secret: token } = await addApiKey(db.owner, { scopes: ['events:read'] });
const now = new Date('2026-03-11T12:00:00Z');

type Payment = { userId: string; stakeId: string | null; referredUserId: string | null; amount: string };

const read = (id: string, chunk: number, query = '') =>
  server.call('GET', `/api/platform/runs/${id}/chunks/${chunk}/payments${query}`, { token });

/** Reads a chunk in pages of 20. */
async function readAll(id: string, chunk: number) {
  const payments: Payment[] = [];
  for (let after = ''; ; ) {
    const { status, json } = await read(id, chunk, `?limit=20${after}`);
    expect(status).toBe(200);
    payments.push(...(json['payments'] as Payment[]));
    if (json['cursor'] === null) return payments;
    after = `&after=${json['cursor'] as string}`;
  }
}

const chunksOf = async (id: string) =>
  (await sql<{ no: number }>`select no from run_chunk where run_id = ${id} order by no`.execute(db.owner)).rows;

const blacklist = (username: string) =>
  sql`update platform_user set blacklisted_at = now(), blacklist_reason = 'Fraud' where username = ${username}`.execute(
    db.owner,
  );

test('the chunks of a run list every payment once, and no user who was skipped before or after the plan', async () => {
  await addCrowd(db.owner, { users: 120, placedOn: '2026-03-01' });
  await blacklist('crowd.7');
  const { id } = await runs.create('stake-payout', now);
  await runs.plan(id);
  await runs.start(id);
  const chunks = await chunksOf(id);
  expect(chunks).toHaveLength(3);
  const [{ no: first } = { no: 0 }] = chunks;
  expect((await read(id, first)).json['code']).toBe('ChunkNotPaid');
  await blacklist('crowd.8');
  await runs.pay(id);

  const payments = [];
  for (const { no } of chunks) payments.push(...(await readAll(id, no)));
  const users = new Set(payments.map(({ userId }) => userId));
  expect([payments.length, users.size]).toEqual([118, 118]);
  expect([users.has('C-7'), users.has('C-8'), users.has('C-9')]).toEqual([false, false, true]);
  expect(payments.find(({ userId }) => userId === 'C-9')).toMatchObject({ stakeId: 'SC-9', referredUserId: null });
  const { json } = await read(id, first, '?limit=1');
  expect(json).toMatchObject({ runId: id, kind: 'stake-payout', day: '2026-03-10', asset: 'USD', reverses: null });

  const beforeAll = '00000000-0000-0000-0000-000000000000';
  const second = await readAll(id, first + 1);
  expect((await read(id, first + 1, `?after=${beforeAll}.${beforeAll}`)).json['payments']).toEqual(second);

  const reversal = await runs.reverse(id);
  await runs.start(reversal.id);
  await runs.pay(reversal.id);
  const reversed = [];
  for (const { no } of await chunksOf(reversal.id)) reversed.push(...(await readAll(reversal.id, no)));
  const amounts = (list: Payment[]) => list.map(({ userId, amount }) => `${userId} ${amount}`).toSorted();
  expect(amounts(reversed)).toEqual(amounts(payments));
});

test('a referral bonus names the user who was referred', async () => {
  const sponsor = await addUser(db.owner, { userId: 'U-sponsor' });
  const joined = new Date('2026-03-09T12:00:00Z');
  const referred = await addUser(db.owner, { userId: 'U-referred', sponsorId: sponsor.id, createdAt: joined });
  await addStake(db.owner, { userId: referred.id, units: 1_000_000_000n, placedOn: '2026-03-09' });
  const { id } = await runs.create('referral-check', now);
  await runs.plan(id);
  await runs.start(id);
  await runs.pay(id);
  const [{ no } = { no: 0 }] = await chunksOf(id);
  expect(await readAll(id, no)).toMatchObject([
    { userId: 'U-sponsor', stakeId: null, referredUserId: 'U-referred', amount: expect.stringMatching(/^\d+\.\d\d/) },
  ]);
});

test('unknown runs and chunks, malformed cursors and keys without the scope are refused', async () => {
  const unknown = '019aa0d4-7c11-7e52-8f04-5b1a9c3de2f7';
  expect((await read(unknown, 1)).json).toMatchObject({ status: 404, code: 'RunNotFound' });
  const { id } = await runs.create('gmp-distro', now);
  expect((await read(id, 999_999)).json).toMatchObject({ status: 404, code: 'ChunkNotPaid' });
  expect((await read(id, 1, '?after=x')).status).toBe(400);
  const { secret } = await addApiKey(db.owner, { scopes: ['users:write'] });
  const address = `/api/platform/runs/${id}/chunks/1/payments`;
  expect((await server.call('GET', address, { token: secret })).json['code']).toBe('ScopeMissing');
  expect((await server.call('GET', address)).status).toBe(401);
});
