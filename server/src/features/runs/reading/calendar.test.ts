import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '#server/core/testing/database.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { runsOf } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { deposit } from '#server/core/testing/transfers.ts';
import { readCalendar } from './calendar.ts';

/* The settings version in force at a time decides what was due then, not the newest version. */
let db: TestDatabase;
let runs: ReturnType<typeof runsOf>;
beforeEach(async () => {
  db = await testDatabase();
  runs = runsOf(db);
  await addAdmin(db.owner, { username: 'ann' });
  await fillTreasury(db.owner, 'USD', 10n ** 12n);
  await fillTreasury(db.owner, 'GMP', 10n ** 12n);
  const { id: userId } = await addUser(db.owner);
  await addStake(db.owner, { userId, units: 100_000_000n, placedOn: '2026-03-01' });
  await ledgerOf(db).posted(deposit({ userId, asset: 'SHARE', units: 7n }));
  return () => db[Symbol.asyncDispose]();
});

const at = (time: string) => new Date(`2026-03-${time}Z`);
const payout = { enabled: true, baseReward: 50, bonusReward: 20, loyaltyReward: 30 };
const noon = {
  enabled: true,
  amount: '100.00',
  frequency: 'Daily',
  time: '12:00',
  utcOffset: 0,
  weekday: 1,
  percentage: 100,
};
const off = { ...noon, enabled: false };
const distribute = (saved: string, settings: object) => runs.save('gmp-distro', settings, { savedAt: at(saved) });
const pay = (saved: string, enabled: boolean) =>
  runs.save('stake-payout', { ...payout, enabled }, { savedAt: at(saved) });

/** "03-02 12:00 missed not-started" */
async function calendar(now: string, to = '07') {
  const { entries } = await readCalendar(db.database, { from: '2026-03-01', to: `2026-03-${to}`, now: at(now) });
  return entries.map((entry) =>
    [entry.at.toISOString().slice(5, 16).replace('T', ' '), entry.outcome, entry.why?.code ?? entry.run?.state]
      .filter((word) => word !== undefined)
      .join(' '),
  );
}

const versions = async () =>
  (
    await sql<{ said: string }>`
    select concat_ws(' ', period, settings_version) as said from run order by created_at`.execute(db.owner)
  ).rows.map(({ said }) => said);

test('an occurrence after which only the amount changed is caught up, with the current settings', async () => {
  await distribute('01T00:00:00', noon);
  await runs.tick(at('01T12:00:10'));
  const preview = await runs.create('gmp-distro', at('02T09:00:00'));
  await runs.plan(preview.id);
  await runs.tick(at('02T09:00:30'));
  expect(await runs.read(preview.id)).toMatchObject({ state: 'planned' });
  await distribute('02T12:00:20', { ...noon, amount: '50.00' });
  await runs.tick(at('02T12:01:10'));
  expect(await runs.read(preview.id)).toMatchObject({ state: 'cancelled' });
  expect(await versions()).toEqual(['2026-03-01 2', '2026-03-02 2', '2026-03-02 3']);
  expect(await calendar('02T12:01:10', '03')).toEqual([
    '03-01 12:00 triggered completed',
    '03-02 12:00 triggered completed',
    '03-03 12:00 coming',
  ]);
});

test('an occurrence is missed and not caught up if the schedule was disabled or moved after it', async () => {
  await distribute('01T00:00:00', noon);
  await distribute('01T12:00:20', off);
  await runs.tick(at('01T12:01:00'));
  await distribute('02T09:00:00', noon);
  await distribute('02T12:00:20', { ...noon, time: '18:00' });
  for (const time of ['02T12:01:00', '02T18:00:30']) await runs.tick(at(time));
  expect(await versions()).toEqual(['2026-03-02 5']);
  expect(await calendar('02T18:01:00', '03')).toEqual([
    '03-01 12:00 missed schedule-changed',
    '03-02 12:00 missed schedule-changed',
    '03-02 18:00 triggered completed',
    '03-03 18:00 coming',
  ]);
});

test('settings saved exactly at an occurrence apply to it', async () => {
  await distribute('01T12:00:00', noon);
  await runs.tick(at('01T12:00:30'));
  await distribute('02T12:00:00', off);
  await runs.tick(at('02T12:00:30'));
  expect(await calendar('02T13:00:00')).toEqual(['03-01 12:00 triggered completed']);
});

test('an occurrence of a disabled schedule is never missed, even if it is enabled seconds later', async () => {
  await distribute('01T12:00:20', noon);
  await runs.tick(at('01T12:01:00'));
  await distribute('02T11:00:00', off);
  await distribute('03T12:00:01', noon);
  for (const time of ['02T12:01:00', '03T12:01:00']) await runs.tick(at(time));
  expect(await calendar('03T12:01:00', '04')).toEqual(['03-04 12:00 coming']);
  expect(await versions()).toEqual([]);
});

test('an occurrence that no worker handled is missed after two minutes, unless its period was paid', async () => {
  await distribute('01T00:00:00', noon);
  const manual = await runs.create('gmp-distro', at('02T15:00:00'));
  await runs.plan(manual.id);
  await runs.start(manual.id);
  await runs.pay(manual.id);
  const missed = '03-01 12:00 missed not-started';
  expect(await calendar('03T12:01:00', '03')).toEqual([missed, '03-03 12:00 coming']);
  expect(await calendar('03T12:02:00', '03')).toEqual([missed, '03-03 12:00 missed not-started']);
});

test('a daily payout is missed until it is caught up, and never missed if it was disabled when it was due', async () => {
  await pay('01T00:00:00', true);
  await runs.tick(at('04T00:00:30'));
  const paid = '03-04 00:00 triggered completed';
  const late = 'missed catching-up';
  expect(await calendar('05T09:00:00', '06')).toEqual([paid, `03-05 00:00 ${late}`, '03-06 00:00 coming']);

  await pay('06T00:00:20', false);
  const gone = 'missed schedule-disabled';
  expect(await calendar('07T09:00:00', '08')).toEqual([paid, `03-05 00:00 ${gone}`, `03-06 00:00 ${gone}`]);
  await pay('07T09:00:00', true);
  expect(await calendar('07T09:00:00', '08')).toEqual([
    paid,
    `03-05 00:00 ${late}`,
    `03-06 00:00 ${late}`,
    '03-08 00:00 coming',
  ]);
  // Days are never skipped: the day on which the schedule was disabled is paid as well.
  for (let turn = 0; turn < 3; turn += 1) await runs.tick(at('07T09:01:00'));
  const days = ['03-04', '03-05', '03-06', '03-07'].map((day) => `${day} 00:00 triggered completed`);
  expect(await calendar('07T09:02:00', '08')).toEqual([...days, '03-08 00:00 coming']);
});

test('the calendar of a future month contains its first day', async () => {
  await pay('01T00:00:00', true);
  const { entries } = await readCalendar(db.database, { from: '2026-04-01', to: '2026-04-02', now: at('04T00:00:00') });
  expect(entries.map((entry) => entry.at.toISOString())).toEqual([
    '2026-04-01T00:00:00.000Z',
    '2026-04-02T00:00:00.000Z',
  ]);
});
