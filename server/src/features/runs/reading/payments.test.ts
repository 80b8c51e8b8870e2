import { explainLine } from 'contract/explain.ts';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '#server/core/testing/database.ts';
import { listTransfers } from '#server/core/ledger/service.ts';
import { runsOf, setRunLimit } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { takeAway } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';
import { explainPayment, explainTransfer } from './payments.ts';

/* A stake of 500 dollars at 0.1 percent a day: 0.25 reward, 0.10 bonus for a rank, 0.15 loyalty. */
let db: TestDatabase;
let runs: ReturnType<typeof runsOf>;
let user: string;
let stake: string;
beforeEach(async () => {
  db = await testDatabase();
  runs = runsOf(db);
  await addAdmin(db.owner, { username: 'ann' });
  await fillTreasury(db.owner, 'USD', 10n ** 12n);
  await setRunLimit(db.owner, 10n ** 15n);
  user = (await addUser(db.owner)).id;
  stake = await addStake(db.owner, { userId: user, units: 500_000_000n, placedOn: '2026-03-01' });
  return () => db[Symbol.asyncDispose]();
});

const now = new Date('2026-03-11T12:00:00Z');

async function plan() {
  const { id } = await runs.create('stake-payout', now);
  return runs.plan(id);
}

async function pay(planned: { id: string }) {
  await runs.start(planned.id);
  return runs.pay(planned.id);
}

async function why(run: { id: string }) {
  const payment = await explainPayment(db.database, { id: run.id, user, cause: stake });
  return payment.why;
}

/** "stake-bonus 0.10 no-rank" */
async function components(run: { id: string }) {
  const { status, components: all } = explainLine(await why(run));
  return [status.code, ...all.map(({ code, amount, decision }) => `${code} ${amount} ${decision.code}`)];
}

test('a payment is explained with the bonus that was not paid and the day on which the loyalty is', async () => {
  const paid = await pay(await plan());
  expect(await components(paid)).toEqual([
    'paid',
    'stake-reward 0.25 pay',
    'stake-bonus 0.10 no-rank',
    'loyalty 0.15 set-aside',
  ]);
  expect((await why(paid)).line.endsOn).toBe('2026-03-31');
});

test('a user who is blacklisted before the plan, or between plan and payment, learns what was not paid', async () => {
  const blacklist = sql`update platform_user set blacklisted_at = now(), blacklist_reason = 'Fraud' where id = ${user}`;
  const planned = await plan();
  await runs.start(planned.id);
  await blacklist.execute(db.owner);
  await runs.pay(planned.id);
  const all = ['stake-reward 0.25 pay', 'stake-bonus 0.10 no-rank', 'loyalty 0.15 set-aside'];
  expect(await components(planned)).toEqual(['skipped', ...all]);
  expect((await why(planned)).line).toMatchObject({ skip: 'blacklisted', isSkippedSince: true });

  const next = await runs.create('stake-payout', new Date('2026-03-12T12:00:00Z'));
  await pay(await runs.plan(next.id));
  expect(await components(next)).toEqual(['skipped', ...all]);
  expect((await why(next)).line).toMatchObject({ skip: 'blacklisted', isSkippedSince: false, base: '0.00' });
});

test('a reversal names the transfers that it reverses, from its plan on and in the ledger', async () => {
  const paid = await pay(await plan());
  const { transfers } = await listTransfers(db.database, { from: '2026-03-10', to: '2026-03-10' });
  const posted = new Map(transfers.map(({ id, kind }) => [kind, id]));
  const named = [
    { id: posted.get('stake-base'), kind: 'stake-base', amount: '0.25' },
    { id: posted.get('stake-loyalty'), kind: 'stake-loyalty', amount: '0.15' },
  ];
  expect((await why(paid)).reversedTransfers).toEqual([]);

  const reversal = await runs.reverse(paid.id);
  expect((await why(reversal)).reversedTransfers).toEqual(named);
  await pay(reversal);
  expect((await why(reversal)).reversedTransfers).toEqual(named);
  const { transfers: all } = await listTransfers(db.database, { kind: 'stake-base' });
  const back = all.find(({ reverses }) => reverses !== null);
  expect(await explainTransfer(db.database, back?.id ?? '')).toMatchObject({
    why: { run: { id: reversal.id, reverses: paid.id, day: '2026-03-10' }, reversedTransfers: named },
  });

  // The second payment of the day has transfers of its own.
  const again = await pay(await plan());
  const second = await runs.reverse(again.id);
  const ids = (await why(second)).reversedTransfers.map(({ id }) => id);
  expect(ids).toHaveLength(2);
  expect(named.map(({ id }) => id)).not.toContain(ids[0]);
});

const spend = (units: bigint) => db.owner.transaction().execute((tx) => takeAway(tx, { userId: user, units }));

test('a reversal that skips a user names what it would have reversed', async () => {
  const short = { userId: user, units: 500_000_000n, days: 9, placedOn: '2026-03-01' };
  stake = await addStake(db.owner, short);
  const paid = await pay(await plan());
  await spend(2_000_000n);
  const reversal = await runs.reverse(paid.id);
  const { line, reversedTransfers, receivable } = await why(reversal);
  expect(line).toMatchObject({ skip: 'spent', base: '0.00' });
  expect(receivable).toBeNull();
  expect(reversedTransfers.map(({ kind, amount }) => [kind, amount])).toEqual([
    ['stake', '500.00'],
    ['stake-base', '0.25'],
    ['stake-loyalty', '0.15'],
    ['loyalty', '0.15'],
  ]);
});

test('a reversal says what the user had spent and owes, and a second payment what it settled of that', async () => {
  const paid = await pay(await plan());
  await spend(100_000n);
  const planned = await runs.reverse(paid.id);
  expect(await why(planned)).toMatchObject({ line: { skip: null, base: '0.25' }, receivable: null });
  const reversal = await pay(planned);
  expect(await why(reversal)).toMatchObject({ line: { paid: true }, receivable: '0.10' });
  const again = await pay(await plan());
  expect(await why(again)).toMatchObject({ line: { paid: true, reversed: false }, receivable: '0.10' });
  expect(await why(paid)).toMatchObject({ line: { reversed: true }, receivable: null });
});

test('the reversal of a completed stake names the loyalty that was paid and the stake that was returned', async () => {
  const short = { userId: user, units: 500_000_000n, days: 9, placedOn: '2026-03-01' };
  stake = await addStake(db.owner, short);
  const paid = await pay(await plan());
  expect((await components(paid)).slice(3)).toEqual([
    'loyalty 0.15 pay-out',
    'loyalty-payout 0.15 pay',
    'stake-return 500.00 return',
  ]);
  const reversal = await pay(await runs.reverse(paid.id));
  expect((await why(reversal)).reversedTransfers.map(({ kind, amount }) => [kind, amount])).toEqual([
    ['stake', '500.00'],
    ['stake-base', '0.25'],
    ['stake-loyalty', '0.15'],
    ['loyalty', '0.15'],
  ]);
});

test('an unknown run and a user whom the run did not consider are refused', async () => {
  const { id } = await plan();
  const stranger = await addUser(db.owner);
  await expect(explainPayment(db.database, { id: stake, user, cause: stake })).rejects.toThrow('RunNotFound');
  await expect(explainPayment(db.database, { id, user: stranger.id, cause: stake })).rejects.toThrow('PaymentNotFound');
});
