import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunKind } from 'contract/run-kinds.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import { type TestDatabase, testDatabase } from '#server/core/testing/database.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { runsOf, setRunLimit, steeringOf } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { fillTreasury } from '#server/core/testing/stakes.ts';
import { deposit } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';
import { readCalendar } from '../reading/calendar.ts';
import { planManually } from './create.ts';

/* A period that was missed is planned later, by the rules of its own time. */

let db: TestDatabase;
let runs: ReturnType<typeof runsOf>;
let actor: Actor;
beforeEach(async () => {
  db = await testDatabase();
  runs = runsOf(db);
  const { id } = await addAdmin(db.owner, { username: 'ann' });
  actor = { id, username: 'ann' } as Actor;
  await fillTreasury(db.owner, 'USD', 10n ** 15n);
  await fillTreasury(db.owner, 'GMP', 10n ** 15n);
  await setRunLimit(db.owner, 10n ** 15n);
});
afterEach(() => db[Symbol.asyncDispose]());

const at = (time: string) => new Date(`2026-03-${time}Z`);

const planAt = (kind: RunKind, times: { now: Date; at: Date }) =>
  db.database.transaction().execute(async (tx) => {
    const { run } = await planManually(tx, { actor, enqueue: async () => undefined, kind, ...times });
    return run.id;
  });

async function pay(id: string) {
  await runs.plan(id);
  await runs.start(id);
  return runs.pay(id);
}

test('a missed distribution is planned from the calendar with the settings of the day it was due', async () => {
  const { id: userId } = await addUser(db.owner);
  await ledgerOf(db).posted(deposit({ userId, asset: 'SHARE', units: 10n }));
  const daily = { frequency: 'Daily', time: '12:00', enabled: true, weekday: 1, utcOffset: 0, percentage: 100 };
  await runs.save('gmp-distro', { ...daily, amount: '10.00' }, { savedAt: at('01T00:00') });
  const changed = { savedAt: at('03T00:00'), effectiveFrom: '2026-03-03' };
  await runs.save('gmp-distro', { ...daily, amount: '99.00' }, changed);

  const now = at('03T11:00');
  const missed = async () =>
    (await readCalendar(db.database, { from: '2026-03-01', to: '2026-03-02', now })).entries.map(
      ({ at: due, outcome, isPlannable }) => `${due.toISOString().slice(0, 10)} ${outcome} ${isPlannable}`,
    );
  await runs.tick(at('03T11:00'));
  expect(await missed()).toEqual(['2026-03-01 missed true', '2026-03-02 triggered false']);
  const run = await pay(await planAt('gmp-distro', { now, at: at('01T12:00') }));
  expect(run).toMatchObject({ state: 'completed', period: '2026-03-01', settingsVersion: 2, pays: 10_000_000n });
  expect((await missed())[0]).toBe('2026-03-01 missed false');
  await expect(planAt('gmp-distro', { now, at: at('01T12:00') })).rejects.toThrow('NothingDue');
  await ledgerOf(db).expectSound();
});

test('the rank bonus of a past week is planned for those who held the rank then', async () => {
  await runs.save('rank-bonus', { rank: 'Silver', bonusAmount: '10.00' });
  const { id: holder } = await addUser(db.owner, { rank: 'none' });
  await addUser(db.owner, { rank: 'Silver', username: 'later' });
  await sql`insert into rank_change (user_id, from_rank, to_rank, reason, made_by, made_at)
    select id, case when username = 'later' then 'none' else 'Silver' end::user_rank, rank, 'Moved', ${actor.id}::uuid,
      ${at('10T09:00')} from platform_user`.execute(db.owner);
  const run = await pay(await planAt('rank-bonus', { now: at('18T12:00'), at: at('08T23:59:59') }));
  expect(run).toMatchObject({ period: '2026-W10 Silver', day: '2026-03-02', pays: 10_000_000n });
  expect(await runs.linesOf(run.id)).toEqual([expect.objectContaining({ userId: holder })]);
});

test('a referral check looks back from now only, by the settings of now', async () => {
  await runs.save('referral-check', { period: 30, reward: 5 });
  const times = { now: at('18T12:00'), at: at('17T12:00') };
  await expect(planAt('referral-check', times)).rejects.toThrow('NothingDue');
});

test('the rank bonus of a week is planned for eight weeks after it, and no longer', async () => {
  await runs.save('rank-bonus', { rank: 'Silver', bonusAmount: '10.00' });
  await addUser(db.owner, { rank: 'Silver' });
  const now = at('18T12:00');
  const plan = (time: string) => planAt('rank-bonus', { now, at: new Date(time) });
  await expect(plan('2026-01-18T23:59:59Z')).rejects.toThrow('NothingDue');
  const run = await pay(await plan('2026-01-19T00:00:00Z'));
  expect(run).toMatchObject({ period: '2026-W04 Silver', day: '2026-01-19' });
});

test('a period that has not started cannot be planned', async () => {
  const times = { now: at('18T12:00'), at: at('25T12:00') };
  await expect(planAt('rank-bonus', times)).rejects.toThrow('NothingDue');
});

test('a preview of a past payout does not make the schedule pay all days since, and none can be planned', async () => {
  await runs.save('stake-payout', { enabled: true, baseReward: 50, bonusReward: 20, loyaltyReward: 30 });
  const long = { now: at('18T12:00'), at: at('02T12:00') };
  await expect(planAt('stake-payout', long)).rejects.toThrow('NothingDue');
  const preview = await planAt('stake-payout', { now: at('02T12:00'), at: at('02T12:00') });
  await runs.tick(at('18T12:00'));
  await steeringOf(db).steer(preview, 'cancel');
  await runs.tick(at('18T12:00'));
  const { rows } = await sql<{ day: string }>`
    select day::text from run where planned_by is null order by day`.execute(db.owner);
  expect(rows).toEqual([{ day: '2026-03-17' }]);
});
