import { randomUUID } from 'node:crypto';
import { sealRecords } from '#server/core/audit/record-seals.ts';
import type { Database, Tx } from '#server/core/db/db.ts';
import { post } from '#server/core/ledger/ledger.ts';
import type { Posting } from '#server/core/ledger/posting.ts';

export type PostingParams = Pick<Posting, 'userId'> & Partial<Posting>;

/** A deposit of 100 units; the parameters override its fields. */
export const deposit = ({ userId, ...it }: PostingParams): Posting => ({
  kind: 'deposit',
  causeId: randomUUID(),
  part: 0,
  userId,
  asset: 'USD',
  debit: 'outside',
  credit: 'available',
  units: 100n,
  ...it,
});

/** Posts transfers, and records those that are deposits, as the platform does. */
export async function postDeposits(tx: Tx, postings: Posting[]) {
  const deposits = postings.filter(({ kind }) => kind === 'deposit');
  const rows = deposits.map(({ causeId: id, userId, asset, units }) => ({ id, userId, asset, units }));
  if (rows.length > 0) {
    await tx
      .insertInto('deposit')
      .values(rows)
      .onConflict((it) => it.doNothing())
      .execute();
    await sealRecords(
      tx,
      'deposit',
      rows.map(({ id }) => id),
    );
  }
  await post(tx, postings);
}

type Taken = { userId: string | null; units: bigint; asset?: 'USD' | 'GMP' };

/** Takes money from a user, or from the treasury, by an adjustment that is already posted. */
export async function takeAway(tx: Tx, { userId, units, asset = 'USD' }: Taken) {
  const { id: madeBy } = await tx.selectFrom('admin').select('id').limit(1).executeTakeFirstOrThrow();
  const [debit, credit] = userId === null ? (['treasury', 'outside'] as const) : (['available', 'treasury'] as const);
  const taken = deposit({ userId, units, asset, kind: 'adjustment', debit, credit });
  const row = {
    userId,
    units: -units,
    asset: taken.asset,
    account: debit,
    otherAccount: credit,
    reason: 'Taken by a test',
    madeBy,
    postedAt: new Date(),
  };
  await tx
    .insertInto('adjustment')
    .values({ id: taken.causeId, ...row })
    .execute();
  await post(tx, [taken]);
}

type NewWithdrawal = { userId: string; units: bigint; wallet?: string };

/** Adds a deposit and a withdrawal of the same amount, as the platform requests them. Returns the withdrawal id. */
export function addWithdrawal(owner: Database, { userId, units, wallet = 'So1Wallet' }: NewWithdrawal) {
  const request = {
    userId,
    amountUsd: units,
    wallet,
    balanceUsd: units,
    gmpShares: 0n,
    prevSlx: 0n,
    slxPoints: 0n,
  };
  return owner.transaction().execute(async (tx) => {
    const { id } = await tx.insertInto('withdrawal').values(request).returning('id').executeTakeFirstOrThrow();
    await sealRecords(tx, 'withdrawal-request', [id]);
    const held = { kind: 'withdrawal', causeId: id, part: 0, debit: 'available', credit: 'held' } as const;
    await postDeposits(tx, [deposit({ userId, units })]);
    await post(tx, [deposit({ userId, units, ...held })]);
    return id;
  });
}
