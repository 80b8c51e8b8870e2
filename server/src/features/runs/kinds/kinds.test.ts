import { RunKind, runKinds } from 'contract/run-kinds.ts';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { kinds } from './kinds.ts';

const db = await testDatabase();
afterAll(() => db[Symbol.asyncDispose]());

test.each(RunKind.options)('the contract describes %s as its rules implement it', (kind) => {
  const { moves, schedule } = kinds[kind];
  const { transferKinds, isScheduled, fundedAccount, paysForStakes } = runKinds[kind];
  expect(moves.map((move) => move.kind)).toEqual(transferKinds);
  expect(schedule !== null).toBe(isScheduled);
  const fromFunds = moves.filter(({ amount }) => amount === 'base' || amount === 'bonus');
  expect(new Set(fromFunds.map(({ debit }) => debit))).toEqual(new Set([fundedAccount]));
  expect(moves.some(({ amount }) => amount === 'returned')).toBe(paysForStakes);
});

test('no two kinds of run post the same kind of transfer', () => {
  const posted = RunKind.options.flatMap((kind) => kinds[kind].moves.map((move) => move.kind));
  expect(new Set(posted).size).toBe(posted.length);
});

/** Once for the same cause, or once for each period; and whether a period has several payments for the same cause. */
const keys: Record<RunKind, { isPaidOnce: boolean; hasVariants: boolean }> = {
  'stake-payout': { isPaidOnce: false, hasVariants: false },
  'gmp-distro': { isPaidOnce: false, hasVariants: true },
  'referral-check': { isPaidOnce: true, hasVariants: false },
  'rank-bonus': { isPaidOnce: false, hasVariants: true },
};

test.each(RunKind.options)('the database knows how often %s pays for the same cause', async (kind) => {
  for (const { kind: transferKind } of kinds[kind].moves.filter(({ alsoByOthers }) => !alsoByOthers)) {
    const { rows } = await sql`
      select paid_once(${transferKind}::transfer_kind) as "isPaidOnce",
        has_variants(${transferKind}::transfer_kind) as "hasVariants"`.execute(db.owner);
    expect(rows, transferKind).toEqual([keys[kind]]);
  }
});
