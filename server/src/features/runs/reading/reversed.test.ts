import { beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '#server/core/testing/database.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { runsOf, setRunLimit, steeringOf } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { readCalendar } from './calendar.ts';
import { listLines, readRun } from './detail.ts';
import { listRuns } from './list.ts';

/* How a day that was paid, reversed and paid again is shown. */
let db: TestDatabase;
let runs: ReturnType<typeof runsOf>;
let ann: { id: string };
let one: { id: string };
let two: { id: string };
beforeEach(async () => {
  db = await testDatabase();
  runs = runsOf(db);
  ann = await addAdmin(db.owner, { username: 'ann' });
  await fillTreasury(db.owner, 'USD', 10n ** 15n);
  await setRunLimit(db.owner, 10n ** 15n);
  [one, two] = [await addUser(db.owner), await addUser(db.owner)];
  await addStake(db.owner, { userId: one.id, units: 1_000_000_000n, placedOn: '2026-03-01' });
  await addStake(db.owner, { userId: two.id, units: 3_000_000_000n, placedOn: '2026-03-01' });
  return () => db[Symbol.asyncDispose]();
});

const now = new Date('2026-03-11T12:00:00Z');

async function carryOut(id: string) {
  await runs.start(id);
  return runs.pay(id);
}

async function pay() {
  const { id } = await runs.create('stake-payout', now);
  await runs.plan(id);
  return carryOut(id);
}

const reverse = async (id: string, user?: string) => carryOut((await runs.reverse(id, user)).id);

/** Such as "pays 2.00 none, net 2.00", newest first. */
async function listed(state?: 'completed' | 'partly-reversed' | 'reversed') {
  const { runs: all, total } = await listRuns(db.database, { state });
  expect(total).toEqual({ count: all.length, capped: false });
  return all.map((run) => `${run.reverses === null ? 'pays' : 'reverses'} ${run.paid} ${run.reversed}, net ${run.net}`);
}

test('a run is partly reversed with one user and fully with the rest, and its period shows the net of all runs', async () => {
  const first = await pay();
  expect(await listed()).toEqual(['pays 2.00 none, net 2.00']);
  const alone = await reverse(first.id, one.id);
  expect(await listed()).toEqual(['reverses 0.50 none, net 1.50', 'pays 2.00 partly, net 1.50']);
  expect(await listed('partly-reversed')).toEqual(['pays 2.00 partly, net 1.50']);
  expect(await listed('completed')).toEqual(['reverses 0.50 none, net 1.50']);

  const rest = await reverse(first.id);
  expect(rest).toMatchObject({ lines: 1n, skipped: 0n });
  expect(await listed('partly-reversed')).toEqual([]);
  expect(await listed('reversed')).toEqual(['pays 2.00 fully, net 0.00']);
  const repaid = await pay();
  expect(await listed()).toEqual([
    'pays 2.00 none, net 2.00',
    'reverses 1.50 none, net 2.00',
    'reverses 0.50 none, net 2.00',
    'pays 2.00 fully, net 2.00',
  ]);
  const { period, run } = await readRun(db.database, first.id, ann);
  expect(run).toMatchObject({ state: 'completed', reversed: 'fully' });
  expect(period).toEqual({
    net: '2.00',
    runs: [
      { id: first.id, state: 'completed', reversed: 'fully', reverses: null, paidLines: 2, paid: '2.00' },
      { id: alone.id, state: 'completed', reversed: 'none', reverses: first.id, paidLines: 1, paid: '0.50' },
      { id: rest.id, state: 'completed', reversed: 'none', reverses: first.id, paidLines: 1, paid: '1.50' },
      { id: repaid.id, state: 'completed', reversed: 'none', reverses: null, paidLines: 2, paid: '2.00' },
    ],
  });
  await ledgerOf(db).expectSound();
});

test('a reversal is refused once nothing is left to reverse, for everyone and for one user', async () => {
  const preview = await runs.create('stake-payout', now);
  await runs.plan(preview.id);
  await steeringOf(db).steer(preview.id, 'cancel');
  await expect(runs.reverse(preview.id)).rejects.toThrow('NothingToReverse');

  const { id } = await pay();
  const outsider = await addUser(db.owner);
  await expect(runs.reverse(id, outsider.id)).rejects.toThrow('UserNotPaid');
  await reverse(id, one.id);
  await expect(runs.reverse(id, one.id)).rejects.toThrow('UserAlreadyReversed');
  // Reversing both users one by one reverses the whole run.
  const last = await reverse(id, two.id);
  await expect(runs.reverse(id)).rejects.toThrow('AlreadyReversed');
  await expect(runs.reverse(last.id)).rejects.toThrow('ReversalIsFinal');
});

test('only the reversed payment is shown as reversed', async () => {
  const { id } = await pay();
  await reverse(id, two.id);
  const { lines } = await listLines(db.database, { id });
  expect(lines.map(({ user, paid, reversed }) => [user.id, paid, reversed])).toEqual(
    [one, two].map((it) => [it.id, true, it === two]).toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
});

test('the calendar shows that a run was reversed', async () => {
  const { id } = await pay();
  await reverse(id);
  const today = new Date().toISOString().slice(0, 10);
  const { entries } = await readCalendar(db.database, { from: today, to: today, now: new Date() });
  expect(entries.flatMap(({ run }) => run ?? [])).toMatchObject([
    { id, state: 'completed', reversed: 'fully', reverses: null },
    { state: 'completed', reversed: 'none', reverses: id },
  ]);
});
