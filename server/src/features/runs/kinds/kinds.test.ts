import { RunKind, runKinds } from 'contract/run-kinds.ts';
import { expect, test } from 'vitest';
import { kinds } from './kinds.ts';

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
