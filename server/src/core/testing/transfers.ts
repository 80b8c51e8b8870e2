import { randomUUID } from 'node:crypto';
import type { Database } from '#server/core/db/db.ts';
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

type NewWithdrawal = { userId: string; units: bigint; wallet?: string };

/** Adds a deposit and a withdrawal of the same amount, as the platform records them. Returns the withdrawal id. */
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
    const held = { kind: 'withdrawal', causeId: id, part: 0, debit: 'available', credit: 'held' } as const;
    await post(tx, [deposit({ userId, units }), deposit({ userId, units, ...held })]);
    return id;
  });
}
