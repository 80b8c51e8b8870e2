import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '#server/core/testing/database.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { runsOf, setRunLimit, steeringOf } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { deposit } from '#server/core/testing/transfers.ts';
import { readCalendar } from '../reading/calendar.ts';
import { mondayOf, weekOf } from '../kinds/periods.ts';

const opened: TestDatabase[] = [];
let db: TestDatabase;
let runs: ReturnType<typeof runsOf>;
beforeEach(async () => {
  db = await testDatabase();
  opened.push(db);
  runs = runsOf(db);
  await addAdmin(db.owner, { username: 'ann' });
  await fillTreasury(db.owner, 'USD', 10n ** 15n);
  await fillTreasury(db.owner, 'GMP', 10n ** 15n);
});
afterAll(async () => {
  for (const one of opened) await one[Symbol.asyncDispose]();
});

const everyShare = { baseReward: 50, bonusReward: 20, loyaltyReward: 30 };
const distribution = { amount: '100.00', frequency: 'Daily', weekday: 1, percentage: 100, enabled: true };

const runsMade = async () =>
  (
    await sql<{ said: string }>`select concat_ws(' ', period, state) as said from run order by created_at`.execute(
      db.owner,
    )
  ).rows.map(({ said }) => said);
const noted = async () =>
  (
    await sql<{ said: string }>`
      select to_char(due_at, 'MM-DD HH24:MI ') || outcome as said from run_due order by due_at`.execute(db.owner)
  ).rows.map(({ said }) => said);

async function holder() {
  const { id } = await addUser(db.owner);
  await ledgerOf(db).posted(deposit({ userId: id, asset: 'SHARE', units: 7n }));
  return id;
}

const saveAt = (at: string, settings: object) => runs.save('gmp-distro', settings, { savedAt: new Date(at) });

test('a day is paid once, as soon as it is over, however often the schedule is checked', async () => {
  await runs.save('stake-payout', { enabled: true, ...everyShare });
  const { id: userId } = await addUser(db.owner);
  await addStake(db.owner, { userId, units: 100_000_000n, placedOn: '2026-03-01' });
  for (const at of ['2026-03-04T23:59:00Z', '2026-03-05T00:00:00Z', '2026-03-05T00:00:30Z', '2026-03-05T18:00:00Z']) {
    await runs.tick(new Date(at));
  }
  expect(await runsMade()).toEqual(['2026-03-03 completed', '2026-03-04 completed']);
});

test('missed days are paid one at a time, oldest first, and none is skipped', async () => {
  await runs.save('stake-payout', { enabled: true, ...everyShare });
  const { id: userId } = await addUser(db.owner);
  await addStake(db.owner, { userId, units: 100_000_000n, placedOn: '2026-03-01' });
  await runs.tick(new Date('2026-03-04T00:01:00Z'));
  for (let turn = 0; turn < 6; turn += 1) await runs.tick(new Date('2026-03-08T09:00:00Z'));
  expect(await runsMade()).toEqual(
    ['2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06', '2026-03-07'].map((day) => `${day} completed`),
  );
});

test('a day that could not be paid is not retried automatically, and no later day is paid before it', async () => {
  await runs.save('stake-payout', { enabled: true, ...everyShare });
  const { id: userId } = await addUser(db.owner);
  await addStake(db.owner, { userId, units: 10n ** 18n, rate: 100_000, placedOn: '2026-03-01' });
  await setRunLimit(db.owner, 10n ** 18n);
  for (const at of ['2026-03-04T00:01:00Z', '2026-03-04T00:02:00Z', '2026-03-05T00:01:00Z'])
    await runs.tick(new Date(at));
  expect(await runsMade()).toEqual(['2026-03-03 refused']);
});

test('a day that an administrator started and cancelled is not paid by a schedule that is enabled afterwards', async () => {
  await runs.save('stake-payout', { enabled: false, ...everyShare });
  const { id: userId } = await addUser(db.owner);
  await addStake(db.owner, { userId, units: 100_000_000n, placedOn: '2026-03-01' });
  const manual = await runs.create('stake-payout', new Date('2026-03-04T09:00:00Z'));
  await runs.plan(manual.id);
  await runs.start(manual.id);
  await steeringOf(db).steer(manual.id, 'cancel');
  await runs.save('stake-payout', { enabled: true, ...everyShare });
  for (const at of ['2026-03-04T09:05:00Z', '2026-03-05T00:01:00Z']) await runs.tick(new Date(at));
  expect(await runsMade()).toEqual(['2026-03-03 cancelled']);
});

test('nothing is triggered during maintenance, and due runs are triggered afterwards', async () => {
  await runs.save('stake-payout', { enabled: true, ...everyShare });
  const maintain = (active: boolean) =>
    sql`update maintenance set active = ${active}, ends_at = case when ${active} then now() end`.execute(db.owner);
  await maintain(true);
  await runs.tick(new Date('2026-03-04T00:01:00Z'));
  expect(await runsMade()).toEqual([]);
  await maintain(false);
  await runs.tick(new Date('2026-03-04T00:31:00Z'));
  expect(await runsMade()).toEqual(['2026-03-03 completed']);
});

test('a distribution is triggered at its own hour, and only the last missed one is caught up', async () => {
  await holder();
  await saveAt('2026-02-28T23:00:00Z', { ...distribution, time: '05:30', utcOffset: 5.5 });
  await runs.tick(new Date('2026-03-01T23:59:00Z'));
  expect(await runsMade()).toEqual(['2026-03-01 completed']);
  await runs.tick(new Date('2026-03-05T12:00:00Z'));
  await runs.tick(new Date('2026-03-05T12:01:00Z'));
  expect(await runsMade()).toEqual(['2026-03-01 completed', '2026-03-05 completed']);
  expect(await noted()).toEqual([
    '03-01 00:00 triggered',
    '03-02 00:00 missed',
    '03-03 00:00 missed',
    '03-04 00:00 missed',
    '03-05 00:00 triggered',
  ]);
  const { rows } = await sql`select distinct why from run_due where outcome = 'missed'`.execute(db.owner);
  expect(rows).toEqual([{ why: { code: 'no-worker', params: {} } }]);
});

test('an occurrence is skipped if an administrator paid its period, and overlaps if a run is still open', async () => {
  await holder();
  await saveAt('2026-03-01T00:00:00Z', { ...distribution, time: '12:00', utcOffset: 0 });
  const manual = await runs.create('gmp-distro', new Date('2026-03-01T09:00:00Z'));
  await runs.plan(manual.id);
  await runs.start(manual.id);
  await runs.pay(manual.id);
  await runs.tick(new Date('2026-03-01T12:00:00Z'));
  const left = await runs.create('gmp-distro', new Date('2026-03-02T09:00:00Z'));
  await runs.tick(new Date('2026-03-02T12:00:00Z'));
  expect(await noted()).toEqual(['03-01 12:00 skipped', '03-02 12:00 overlapped']);
  const { entries } = await readCalendar(db.database, {
    from: '2026-03-01',
    to: '2026-03-04',
    now: new Date('2026-03-03T00:00:00Z'),
  });
  const actual = entries.map(({ at, outcome, why }) => [at.toISOString().slice(0, 16), outcome, why]);
  expect(actual).toEqual([
    ['2026-03-01T12:00', 'skipped', { code: 'already-paid', params: { kind: 'gmp-distro', period: '2026-03-01' } }],
    ['2026-03-02T12:00', 'overlapped', { code: 'run-active', params: { kind: 'gmp-distro', period: '2026-03-02' } }],
    ['2026-03-03T12:00', 'coming', null],
    ['2026-03-04T12:00', 'coming', null],
  ]);
  expect((await runs.read(left.id)).state).toBe('planned');
});

test('a schedule applies until it is changed and the new one from then on, also with concurrent workers', async () => {
  await holder();
  await saveAt('2026-03-01T00:00:00Z', { ...distribution, time: '12:00', utcOffset: 0 });
  await saveAt('2026-03-03T13:00:00Z', {
    ...distribution,
    frequency: 'Weekly',
    weekday: 5,
    time: '12:00',
    utcOffset: 0,
  });
  await Promise.all([1, 2, 3].map(() => runs.tick(new Date('2026-03-06T12:00:00Z'))));
  expect(await noted()).toEqual([
    '03-01 12:00 missed',
    '03-02 12:00 missed',
    '03-03 12:00 missed',
    '03-06 12:00 triggered',
  ]);
});

test('a scheduled run above the limit waits for an approval', async () => {
  await holder();
  await saveAt('2026-03-01T00:00:00Z', { ...distribution, amount: '1000000.00', time: '12:00', utcOffset: 0 });
  await runs.tick(new Date('2026-03-01T12:00:00Z'));
  expect(await runsMade()).toEqual(['2026-03-01 planned']);
});

test('weeks follow ISO 8601, also at the turn of a year', () => {
  for (const [day, week, monday] of [
    ['2026-01-01', '2026-W01', '2025-12-29'],
    ['2027-01-03', '2026-W53', '2026-12-28'],
    ['2024-12-30', '2025-W01', '2024-12-30'],
    ['2026-11-15', '2026-W46', '2026-11-09'],
  ] as const) {
    const noon = new Date(`${day}T12:00:00Z`);
    expect([day, weekOf(noon), mondayOf(noon)]).toEqual([day, week, monday]);
  }
});
