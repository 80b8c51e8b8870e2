import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { platformId } from '#server/core/platform-id.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addApiKey } from '#server/core/testing/api-key.ts';
import { inboundScopes, platformOf } from '#server/core/testing/inbound.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { runsOf, setRunLimit } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { fillTreasury } from '#server/core/testing/stakes.ts';
import { deposit } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.owner, { username: 'ann' });
const { secret } = await addApiKey(db.owner, { scopes: [...inboundScopes] });
const { send } = platformOf(server, secret);
const { posted, totalsOf, expectSound } = ledgerOf(db);

const dayMs = 86_400_000;
const dollar = 1_000_000n;
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString();
let sent = 0;

const stakeItem = (user: string, chosen: object = {}) => {
  sent += 1;
  return { id: `S-${sent}`, user, amount: '40', days: 30, placedAt: daysAgo(0), ...chosen };
};

async function userWith(units: bigint) {
  const { id: userId, userId: number } = await addUser(db.owner);
  await posted(deposit({ userId, units }));
  return { userId, number, totals: () => totalsOf(userId) };
}

test('a stake moves its amount from available to staked, at the rate of its plan', async () => {
  const { userId, number, totals } = await userWith(100n * dollar);
  const item = stakeItem(number, { days: 60, amountSol: '0.25', placedAt: daysAgo(1) });
  expect(await send('stakes', item)).toEqual(['stored']);
  expect(await totals()).toMatchObject({ availableUsd: 60n * dollar, stakedUsd: 40n * dollar });
  const row = await db.owner.selectFrom('stake').selectAll().where('stakeId', '=', item.id).executeTakeFirst();
  expect(row).toMatchObject({
    id: platformId('stake', item.id),
    userId,
    amountUsd: 40n * dollar,
    amountSol: 250_000_000n,
    days: 60,
    dailyRatePpm: 1_500,
    status: 'Active',
    createdAt: new Date(item.placedAt),
  });
  const { rows } = await sql<{ ends: string }>`
    select ends_on::text as ends from stake where stake_id = ${item.id}`.execute(db.owner);
  expect(rows[0]?.ends).toBe(new Date(Date.parse(item.placedAt) + 60 * dayMs).toISOString().slice(0, 10));
  await expectSound();
});

test('each item is refused with its own code, and a balance is used up exactly', async () => {
  const { number, totals } = await userWith(100n * dollar);
  const cases: [object, string][] = [
    [{ days: 31 }, 'PlanNotOffered'],
    [{ dailyRate: 0.15 }, 'PlanNotOffered'],
    [{ amount: '0' }, 'AmountInvalid'],
    [{ amountSol: '-1' }, 'AmountInvalid'],
    [{ user: 'nobody' }, 'UserUnknown'],
    [{ placedAt: daysAgo(-1) }, 'TimeInvalid'],
    [{ placedAt: daysAgo(3) }, 'PlacedTooLate'],
    [{ amount: '100.000001' }, 'BalanceTooLow'],
    [{ amount: '99.999999', dailyRate: 0.1 }, 'stored'],
    [{ amount: '0.000001' }, 'stored'],
    [{ amount: '0.000001' }, 'BalanceTooLow'],
  ];
  const items = cases.map(([change]) => stakeItem(number, change));
  expect(await send('stakes', ...items)).toEqual(cases.map(([, code]) => code));
  expect(await totals()).toMatchObject({ availableUsd: 0n, stakedUsd: 100n * dollar });
});

test('several offered plans with the same days are told apart by their rate', async () => {
  const { number } = await userWith(100n * dollar);
  await db.owner.transaction().execute(async (tx) => {
    // Otherwise two administrators would have to offer them.
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`insert into stake_plan (days, daily_rate_ppm, offered) values (45, 1000, true), (45, 2000, true)`.execute(
      tx,
    );
  });
  expect(
    await send('stakes', stakeItem(number, { days: 45 }), stakeItem(number, { days: 45, dailyRate: 0.2 })),
  ).toEqual(['PlanAmbiguous', 'stored']);
  await sql`update stake_plan set offered = false where days = 45`.execute(db.owner);
  expect(await send('stakes', stakeItem(number, { days: 45, dailyRate: 0.2 }))).toEqual(['PlanNotOffered']);
});

test('the same stake sent again is a duplicate, and other content under its id is refused', async () => {
  const { number } = await userWith(100n * dollar);
  const item = stakeItem(number);
  expect(await send('stakes', item, item)).toEqual(['stored', 'duplicate']);
  expect(await send('stakes', item, { ...item, dailyRate: 0.1 })).toEqual(['duplicate', 'duplicate']);
  for (const change of [
    { amount: '41' },
    { days: 60 },
    { amountSol: '1' },
    { dailyRate: 0.2 },
    { placedAt: daysAgo(1) },
  ]) {
    expect(await send('stakes', { ...item, ...change }), JSON.stringify(change)).toEqual(['IdReused']);
  }
});

test('calls at the same time never stake a balance twice', async () => {
  const { number, totals } = await userWith(100n * dollar);
  const calls = Array.from({ length: 5 }, () => send('stakes', stakeItem(number), stakeItem(number)));
  const outcomes = (await Promise.all(calls)).flat();
  expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(2);
  expect(await totals()).toMatchObject({ availableUsd: 20n * dollar, stakedUsd: 80n * dollar });
  await expectSound();
});

test('a stake earns from the day after it was placed, and cannot be placed before a planned day', async () => {
  const { number, totals } = await userWith(100n * dollar);
  await fillTreasury(db.owner, 'USD', 1_000_000n * dollar);
  await setRunLimit(db.owner, 10n ** 15n);
  const twoDaysAgo = stakeItem(number, { amount: '50', placedAt: daysAgo(2) });
  expect(await send('stakes', twoDaysAgo)).toEqual(['stored']);

  const runs = runsOf(db);
  const run = await runs.plan((await runs.create('stake-payout', new Date())).id);
  expect(run.day).toBe(daysAgo(1).slice(0, 10));
  expect((await runs.linesOf(run.id)).map(({ causeId }) => causeId)).toContain(platformId('stake', twoDaysAgo.id));
  const [late, inTime] = [stakeItem(number, { placedAt: daysAgo(2) }), stakeItem(number, { placedAt: daysAgo(1) })];
  expect(await send('stakes', late, inTime)).toEqual(['PlacedTooLate', 'stored']);

  const { availableUsd } = await totals();
  await runs.start(run.id);
  await runs.pay(run.id);
  // A tenth of a percent of 50 dollars, of which half is the base reward.
  expect((await totals()).availableUsd - availableUsd).toBe(25_000n);
  await expectSound();
});
