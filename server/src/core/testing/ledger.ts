import { expect } from 'vitest';
import { reverse } from '#server/core/ledger/ledger.ts';
import type { Posting } from '#server/core/ledger/posting.ts';
import { findDifferences } from '#server/core/ledger/verify.ts';
import { forgetChanges, listChanges } from '#server/core/ledger/verify-scope.ts';
import { verifyLedger } from '#server/core/ledger/verification.ts';
import { formatDifference } from 'contract/ledger-differences.ts';
import { bookQuestions, verifyBooks as verifyEverything } from '#server/verify.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import type { TestDatabase } from './database.ts';
import { postDeposits } from './transfers.ts';

export { bookQuestions };

/** Verifies everything, without recording it. */
export async function verifyBooks(db: Db) {
  const { transfers, differences } = await verifyEverything(db);
  if (differences.length === 0) return { sound: true, transfers } as const;
  return { sound: false, faults: differences.map(formatDifference) } as const;
}

/** Verifies what changed since the last verification that passed, without recording it. */
export async function findNewDifferences(tx: Tx) {
  for (const statement of listChanges) await statement.execute(tx);
  const { differences } = await findDifferences(tx, 'incremental', bookQuestions);
  for (const statement of forgetChanges) await statement.execute(tx);
  return differences.map(formatDifference);
}

export function ledgerOf({ database, worker, owner }: TestDatabase) {
  return {
    posted: (...postings: Posting[]) => database.transaction().execute((tx) => postDeposits(tx, postings)),
    reversed: (key: Pick<Posting, 'kind' | 'causeId' | 'part'>) =>
      database.transaction().execute((tx) => reverse(tx, key)),
    totalsOf: (userId: string) =>
      owner.selectFrom('userTotal').selectAll().where('userId', '=', userId).executeTakeFirstOrThrow(),
    /** Expects no differences in the whole ledger, nor by the worker in what changed since the last call. */
    expectSound: async () => {
      const verdict = await verifyBooks(database);
      expect(verdict.sound ? [] : verdict.faults).toEqual([]);
      // An autovacuum of the locked table would otherwise make it return without a verdict.
      const verified = await verifyLedger(worker, { form: 'incremental', questions: bookQuestions, waits: true });
      expect(verified?.differences.map(formatDifference)).toEqual([]);
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
