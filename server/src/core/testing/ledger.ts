import { expect } from 'vitest';
import { reverse } from '#server/core/ledger/ledger.ts';
import type { Posting } from '#server/core/ledger/posting.ts';
import { verifyBooks } from '#server/verify.ts';
import type { TestDatabase } from './database.ts';
import { postDeposits } from './transfers.ts';

export { verifyBooks };

export function ledgerOf({ database, owner }: TestDatabase) {
  return {
    posted: (...postings: Posting[]) => database.transaction().execute((tx) => postDeposits(tx, postings)),
    reversed: (key: Pick<Posting, 'kind' | 'causeId' | 'part'>) =>
      database.transaction().execute((tx) => reverse(tx, key)),
    totalsOf: (userId: string) =>
      owner.selectFrom('userTotal').selectAll().where('userId', '=', userId).executeTakeFirstOrThrow(),
    expectSound: async () => {
      const verdict = await verifyBooks(database);
      expect(verdict.sound ? [] : verdict.faults).toEqual([]);
    },
    /** Ignores the comparison with stakes and withdrawals, for tests that post transfers without them. */
    expectAddsUp: async () => {
      const verdict = await verifyBooks(database);
      const faults = verdict.sound ? [] : verdict.faults;
      expect(
        faults.filter(
          (fault) => !/^(the (held|staked) balances differ|more loyalty)|is not what was posted for it/.test(fault),
        ),
      ).toEqual([]);
    },
  };
}
