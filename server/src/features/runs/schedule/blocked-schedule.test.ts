import type { BlockedSchedule } from 'contract/runs-schedule.ts';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '#server/core/testing/database.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { runsOf, setRunLimit, steeringOf, testReason } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { deposit } from '#server/core/testing/transfers.ts';
import { readCalendar } from '../reading/calendar.ts';
import { readSchedule } from '../reading/schedule.ts';

/* A schedule that waits for an administrator. */
let db: TestDatabase;
let runs: ReturnType<typeof runsOf>;
let steering: ReturnType<typeof steeringOf>;
beforeEach(async () => {
  db = await testDatabase();
  runs = runsOf(db);
  steering = steeringOf(db);
  await addAdmin(db.owner, { username: 'ann' });
  return () => db[Symbol.asyncDispose]();
});

const payout = { enabled: true, baseReward: 50, bonusReward: 20, loyaltyReward: 30 };
const daily = { amount: '100.00', frequency: 'Daily', time: '12:00', utcOffset: 0, weekday: 1, percentage: 100 };
const at = (time: string) => new Date(`2026-03-${time}:00Z`);
async function addStaker() {
  const { id: userId } = await addUser(db.owner);
  await addStake(db.owner, { userId, units: 100_000_000n, placedOn: '2026-03-01' });
  await runs.save('stake-payout', payout, { savedAt: at('01T00:00') });
}

async function due(job: 'stake-payout' | 'gmp-distro', now: Date) {
  const { schedule } = await readSchedule(db.database, now);
  const found = schedule.find((one) => one.job === job);
  if (!found) throw new Error(`${job} is not on the schedule.`);
  return found;
}

/** Such as "03-05 waiting 2026-03-03 refused": the day, the outcome, and its run or the one it waits for. */
async function calendar({ to, now }: { to: string; now: Date }) {
  const { entries } = await readCalendar(db.database, { from: '2026-03-01', to: `2026-03-${to}`, now });
  return entries.map(({ at: when, outcome, run }) =>
    [when.toISOString().slice(5, 10), outcome, run?.period, run?.state].filter((word) => word !== undefined).join(' '),
  );
}

const start = async (id: string) => steering.start(id, (await runs.read(id)).planHash);

const onlyRun = async () => (await sql<{ id: string }>`select id from run`.execute(db.owner)).rows[0]?.id ?? '';

test('the schedule shows when each job is due next, or null if it is not', async () => {
  const now = at('04T09:00');
  const never = { enabled: false, nextRun: null, blockedSchedule: null };
  const usd = { amount: '2000.00', asset: 'USD' };
  await setRunLimit(db.owner, 2_000_000_000n);
  expect((await readSchedule(db.database, now)).schedule).toEqual([
    { job: 'stake-payout', limit: usd, ...never },
    { job: 'gmp-distro', limit: { amount: '2000.00', asset: 'GMP' }, ...never },
    { job: 'referral-check', limit: usd, ...never },
    { job: 'rank-bonus', limit: usd, ...never },
  ]);
  await runs.save('stake-payout', payout);
  await runs.save('gmp-distro', { ...daily, enabled: true, time: '10:15', utcOffset: 5.75 });
  const { schedule } = await readSchedule(db.database, now);
  expect(schedule.map(({ nextRun, ...rest }) => [nextRun?.toISOString().slice(5, 16), rest.enabled])).toEqual([
    ['03-05T00:00', true],
    ['03-05T04:30', true],
    [undefined, false],
    [undefined, false],
  ]);
});

test('a refused day blocks the schedule, with its reason and the waiting days, until it is paid', async () => {
  await addStaker();
  for (const day of ['04', '05', '06']) await runs.tick(at(`${day}T00:01`));
  const now = at('06T09:00');
  const { blockedSchedule, nextRun, enabled } = await due('stake-payout', now);
  expect({ enabled, nextRun }).toEqual({ enabled: true, nextRun: null });
  expect(blockedSchedule).toEqual({
    run: { id: await onlyRun(), period: '2026-03-03', state: 'refused', reversed: 'none', reverses: null },
    since: (await runs.read(await onlyRun())).endedAt,
    why: { code: 'treasury-too-low', params: { asset: 'USD', treasuryUnits: '0', neededUnits: '80000' } },
    nextAction: 'plan',
    approval: null,
    waiting: 2,
  });
  const behind = 'waiting 2026-03-03 refused';
  expect(await calendar({ to: '07', now })).toEqual([
    '03-04 triggered 2026-03-03 refused',
    `03-05 ${behind}`,
    `03-06 ${behind}`,
    `03-07 ${behind}`,
  ]);

  await fillTreasury(db.owner, 'USD', 10n ** 12n);
  await runs.tick(now);
  expect((await due('stake-payout', now)).blockedSchedule).toMatchObject({ nextAction: 'plan', waiting: 2 });
  const replanned = await runs.create('stake-payout', now);
  expect((await due('stake-payout', now)).blockedSchedule).toBeNull();
  await runs.plan(replanned.id);
  expect((await due('stake-payout', now)).blockedSchedule).toMatchObject({
    run: { id: replanned.id, state: 'planned' },
    nextAction: 'start',
    waiting: 2,
  });
  await start(replanned.id);
  await runs.pay(replanned.id);
  expect(await due('stake-payout', now)).toMatchObject({ blockedSchedule: null, nextRun: at('07T00:00') });
  for (let turn = 0; turn < 2; turn += 1) await runs.tick(now);
  const made = await calendar({ to: '07', now });
  expect(made.filter((entry) => !entry.includes('manual'))).toEqual([
    '03-04 triggered 2026-03-03 refused',
    '03-05 triggered 2026-03-04 completed',
    '03-06 triggered 2026-03-05 completed',
    '03-07 coming',
  ]);
});

test('days that became due while the schedule was disabled wait like the others', async () => {
  await addStaker();
  await runs.tick(at('04T00:01'));
  await runs.save('stake-payout', { ...payout, enabled: false }, { savedAt: at('04T12:00') });
  await runs.save('stake-payout', payout, { savedAt: at('06T12:00') });
  expect(await calendar({ to: '06', now: at('06T13:00') })).toEqual([
    '03-04 triggered 2026-03-03 refused',
    '03-05 waiting 2026-03-03 refused',
    '03-06 waiting 2026-03-03 refused',
  ]);
});

test('each blocking state has its own next action and reason', async () => {
  await addStaker();
  await fillTreasury(db.owner, 'USD', 10n ** 12n);
  await setRunLimit(db.owner, 0n);
  const now = at('05T09:00');
  const blocked = async (): Promise<BlockedSchedule | null> => (await due('stake-payout', now)).blockedSchedule;
  await runs.tick(at('04T00:01'));
  const id = await onlyRun();
  expect(await blocked()).toMatchObject({ run: { id, state: 'planned' }, nextAction: 'start', why: null, waiting: 1 });

  await start(id);
  const waiting = db.owner.selectFrom('approval').select('id').where('state', '=', 'waiting');
  const { id: approval } = await waiting.executeTakeFirstOrThrow();
  expect(await blocked()).toMatchObject({ run: { id, state: 'waiting' }, nextAction: 'approve', approval, waiting: 1 });
  const ben = await addAdmin(db.owner, { username: 'ben' });
  await sql`update approval set state = 'denied', decided_by = ${ben.id}, decided_at = now(), reason = 'Too much.'
    where state = 'waiting'`.execute(db.owner);
  expect(await blocked()).toMatchObject({
    run: { id, state: 'planned' },
    nextAction: 'start',
    why: { code: 'approval-denied', params: { by: 'ben', reason: 'Too much.' } },
  });

  await setRunLimit(db.owner, 10n ** 12n);
  await start(id);
  expect(await blocked()).toBeNull();
  await steering.steer(id, 'pause');
  expect(await blocked()).toMatchObject({
    run: { id, state: 'paused' },
    nextAction: 'resume',
    why: { code: 'paused', params: { by: 'ann' } },
  });
  await steering.steer(id, 'resume');
  await sql`update run set state = 'failed', why = ${testReason} where id = ${id}`.execute(db.owner);
  expect(await blocked()).toMatchObject({
    run: { id, state: 'failed' },
    nextAction: 'retry',
    why: JSON.parse(testReason),
  });
  await steering.steer(id, 'cancel');
  expect(await blocked()).toMatchObject({
    run: { id, state: 'cancelled' },
    nextAction: 'plan',
    why: { code: 'cancelled', params: { by: 'ann' } },
  });
});

test('a reversed day blocks the schedule like an unpaid one; a planned reversal does not', async () => {
  await addStaker();
  await fillTreasury(db.owner, 'USD', 10n ** 12n);
  await runs.tick(at('04T00:01'));
  const now = at('05T00:00');
  const id = await onlyRun();
  const reversal = await runs.reverse(id);
  expect((await due('stake-payout', now)).blockedSchedule).toBeNull();
  await start(reversal.id);
  await steering.steer(reversal.id, 'pause');
  expect((await due('stake-payout', now)).blockedSchedule).toMatchObject({
    run: { id: reversal.id, reverses: id, state: 'paused' },
    nextAction: 'resume',
    waiting: 1,
  });
  await steering.steer(reversal.id, 'resume');
  const { endedAt } = await runs.pay(reversal.id);
  expect((await due('stake-payout', now)).blockedSchedule).toMatchObject({
    run: { id, state: 'completed' },
    since: endedAt,
    why: { code: 'payments-reversed', params: {} },
    nextAction: 'plan',
    waiting: 1,
  });
});

test('a planned reversal does not hide the day that blocks the schedule', async () => {
  await addStaker();
  await fillTreasury(db.owner, 'USD', 10n ** 12n);
  await runs.tick(at('04T00:01'));
  const paid = await onlyRun();
  await setRunLimit(db.owner, 0n);
  await runs.tick(at('05T00:01'));
  const { rows } = await sql<{ id: string }>`select id from run where period = '2026-03-04'`.execute(db.owner);
  const id = rows[0]?.id ?? '';
  await steering.steer(id, 'cancel');
  await runs.reverse(paid);
  expect((await due('stake-payout', at('05T00:02'))).blockedSchedule).toMatchObject({
    run: { id, state: 'cancelled' },
    nextAction: 'plan',
  });
});

test('a disabled schedule is never blocked, and a plan that the schedule supersedes does not block it', async () => {
  await addStaker();
  const manual = await runs.create('stake-payout', at('04T09:00'));
  await runs.plan(manual.id);
  expect((await due('stake-payout', at('04T09:00'))).blockedSchedule).toBeNull();
  await runs.tick(at('04T09:01'));
  const cancellations = db.owner
    .selectFrom('auditEntry')
    .select(['actorId', 'details'])
    .where('action', '=', 'runs.cancel');
  expect(await cancellations.where('subjectId', '=', manual.id).execute()).toMatchObject([
    { actorId: null, details: expect.stringContaining('"why":{"code":"superseded","params":{"by":null}}') },
  ]);
  expect((await due('stake-payout', at('04T09:02'))).blockedSchedule).not.toBeNull();
  await runs.save('stake-payout', { ...payout, enabled: false });
  expect(await due('stake-payout', at('04T09:02'))).toMatchObject({
    enabled: false,
    nextRun: null,
    blockedSchedule: null,
  });
  expect(await calendar({ to: '06', now: at('04T09:02') })).not.toContainEqual(expect.stringContaining('waiting'));
});

test('a started distribution blocks the next ones, and overlapped occurrences are counted', async () => {
  const { id: userId } = await addUser(db.owner);
  await ledgerOf(db).posted(deposit({ userId, asset: 'SHARE', units: 7n }));
  await fillTreasury(db.owner, 'GMP', 10n ** 12n);
  await runs.save('gmp-distro', { ...daily, enabled: true }, { savedAt: at('01T00:00') });
  const preview = await runs.create('gmp-distro', at('01T09:00'));
  await runs.plan(preview.id);
  expect(await due('gmp-distro', at('01T09:00'))).toMatchObject({ nextRun: at('01T12:00'), blockedSchedule: null });
  await setRunLimit(db.owner, 0n);
  await runs.tick(at('01T12:00'));
  const { rows } = await sql<{ id: string }>`select id from run where state = 'planned'`.execute(db.owner);
  const id = rows[0]?.id ?? '';
  expect(await due('gmp-distro', at('01T13:00'))).toMatchObject({
    nextRun: at('02T12:00'),
    blockedSchedule: { run: { id, state: 'planned' }, nextAction: 'start', waiting: 0 },
  });
  expect(await calendar({ to: '02', now: at('01T13:00') })).toEqual([
    '03-01 triggered 2026-03-01 planned',
    '03-02 coming',
  ]);
  await start(id);
  await runs.tick(at('02T12:00'));
  expect(await due('gmp-distro', at('02T13:00'))).toMatchObject({
    nextRun: null,
    blockedSchedule: { run: { id, state: 'waiting' }, nextAction: 'approve', waiting: 1 },
  });
  expect(await calendar({ to: '03', now: at('02T13:00') })).toEqual([
    '03-01 triggered 2026-03-01 waiting',
    '03-02 overlapped',
    '03-03 waiting 2026-03-01 waiting',
  ]);
});
