import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { countersOf, foldBy, whileFolding } from '#server/core/testing/counters.ts';
import { decideInSql } from '#server/core/testing/decisions.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { foldCounts } from './queries.ts';

const { db, server } = await testEnvironment();
const ann = await addAdmin(db.database, { username: 'ann' });
const token = await server.signIn('ann');
const { id: userId } = await addUser(db.owner);

const fold = foldBy(db, foldCounts);
const { expectExact, expectFolded, expectNothingCountedOf } = countersOf(db, {
  table: 'withdrawal',
  sums: 'amount_usd',
});

const request = () =>
  db.database.transaction().execute((tx) =>
    tx
      .insertInto('withdrawal')
      .values({
        userId,
        amountUsd: BigInt(1 + Math.floor(Math.random() * 5_000_000)),
        wallet: 'any',
        balanceUsd: 10_000_000n,
        gmpShares: 0n,
        prevSlx: 0n,
        slxPoints: 0n,
      })
      .returning(['id', 'amountUsd'])
      .executeTakeFirstOrThrow(),
  );

const decide = ({ id, amountUsd: units }: { id: string; amountUsd: bigint }) =>
  db.database.transaction().execute(async (tx) => {
    const state = Math.random() < 0.5 ? 'approved' : 'rejected';
    const decision = { kind: 'withdrawal', subjectId: id, units, requestedBy: ann.id } as const;
    if (state === 'approved') await decideInSql(tx, decision);
    await tx
      .updateTable('withdrawal')
      .set({ state, mode: 'manual', decidedAt: new Date(), reason: 'Decided.' })
      .where('id', '=', id)
      .where('state', '=', 'requested')
      .execute();
  });

test('the counters and sums stay exact while several workers fold them during writes', async () => {
  const write = async (step: number) => {
    const requested = await request();
    if (step % 3 > 0) await Promise.all([decide(requested), decide(requested)]);
  };
  await whileFolding({ fold, look: expectExact, write });
});

test('folding leaves one row per status', async () => {
  await fold();
  await expectFolded();
});

test('changes that are rolled back are not counted', async () => {
  await expectNothingCountedOf(
    `update withdrawal set state = 'rejected', reason = 'No.', decided_at = now() where state = 'requested'`,
  );
});

test('the figures and the totals of the list match the withdrawals', async () => {
  await request();
  const { rows } = await sql<{ status: string; count: bigint; amount: string }>`
    select status::text, count(*), to_char(sum(amount_usd) / 1000000, 'FM999999990.000000') as amount
    from withdrawal group by rollup (status)`.execute(db.owner);
  const { json } = await server.call('GET', '/api/withdrawals/figures', { token });
  for (const { status, count, amount } of rows) {
    const figure = json[(status ?? 'total').toLowerCase()] as { count: number; amount: string };
    expect(figure.count).toBe(Number(count));
    expect(Number(figure.amount)).toBe(Number(amount));
    const query = status ? `status=${status}&limit=1` : 'limit=1';
    const list = await server.call('GET', `/api/withdrawals?${query}`, { token });
    expect(list.json['total']).toEqual({ count: Number(count), capped: false });
  }
});
