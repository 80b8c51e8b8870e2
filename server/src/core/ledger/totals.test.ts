import { randomUUID } from 'node:crypto';
import { Account } from 'contract/ledger.ts';
import type { Asset } from 'contract/core/money.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { propertyRuns } from '#server/core/testing/property-runs.ts';
import { deposit } from '#server/core/testing/transfers.ts';
import type { Posting } from './posting.ts';

const db = await testDatabase();
const { posted, reversed, totalsOf, expectAddsUp } = ledgerOf(db);

/** A simple reference implementation for one user: how each transfer changes each figure. */
function referenceTotals(postings: Posting[]) {
  const totals = Object.fromEntries(figureNames.map((name) => [name, 0n]));
  for (const { asset, debit, credit, units } of postings) {
    for (const { account, other, moved } of [
      { account: credit, other: debit, moved: units },
      { account: debit, other: credit, moved: -units },
    ]) {
      for (const name of figuresMovedBy(asset, account, other)) totals[name] = (totals[name] ?? 0n) + moved;
      const owes = account === 'receivable' ? `receivable${asset === 'GMP' ? 'Gmp' : 'Usd'}` : undefined;
      if (owes) totals[owes] = (totals[owes] ?? 0n) - moved;
      if (account === 'held' && other === 'outside') totals['withdrawnUsd'] = (totals['withdrawnUsd'] ?? 0n) - moved;
    }
  }
  return totals;
}

const figureNames = [
  'availableUsd',
  'stakedUsd',
  'withdrawingUsd',
  'availableGmp',
  'slx',
  'gmpShares',
  'referralBonusUsd',
  'gmpEarnings',
  'weeklyRankBonusUsd',
  'stakedEarnedUsd',
  'taskRewardsUsd',
  'depositUsd',
  'withdrawnUsd',
  'receivableUsd',
  'receivableGmp',
];

const balanceOf: Partial<Record<`${Account} ${Asset}`, string>> = {
  'available USD': 'availableUsd',
  'available GMP': 'availableGmp',
  'available SLX': 'slx',
  'available SHARE': 'gmpShares',
  'staked USD': 'stakedUsd',
  'held USD': 'withdrawingUsd',
};
const everFrom: Partial<Record<`${Account} ${Asset}`, string>> = {
  'outside USD': 'depositUsd',
  'stake_rewards USD': 'stakedEarnedUsd',
  'loyalty USD': 'stakedEarnedUsd',
  'gmp_pool GMP': 'gmpEarnings',
  'referral_bonuses USD': 'referralBonusUsd',
  'rank_bonuses USD': 'weeklyRankBonusUsd',
  'task_rewards USD': 'taskRewardsUsd',
};

function figuresMovedBy(asset: Asset, account: Account, other: Account) {
  const balance = balanceOf[`${account} ${asset}`];
  const ever = account === 'available' ? everFrom[`${other} ${asset}`] : undefined;
  return [balance, ever].filter((name) => name !== undefined);
}

/** Every transfer that the product makes, in both directions. */
const moves = [
  ['deposit', 'USD', 'outside', 'available'],
  ['deposit', 'SLX', 'outside', 'available'],
  ['deposit', 'SHARE', 'outside', 'available'],
  ['stake', 'USD', 'available', 'staked'],
  ['stake', 'USD', 'staked', 'available'],
  ['stake-base', 'USD', 'stake_rewards', 'available'],
  ['stake-bonus', 'USD', 'stake_rewards', 'available'],
  ['stake-loyalty', 'USD', 'treasury', 'loyalty'],
  ['loyalty', 'USD', 'loyalty', 'available'],
  ['gmp', 'GMP', 'gmp_pool', 'available'],
  ['referral', 'USD', 'referral_bonuses', 'available'],
  ['rank-bonus', 'USD', 'rank_bonuses', 'available'],
  ['task', 'USD', 'task_rewards', 'available'],
  ['withdrawal', 'USD', 'available', 'held'],
  ['withdrawal', 'USD', 'held', 'available'],
  ['withdrawal', 'USD', 'held', 'outside'],
  ['adjustment', 'GMP', 'treasury', 'available'],
  ['adjustment', 'USD', 'available', 'treasury'],
  ['adjustment', 'SLX', 'adjustments', 'available'],
  ['receivable', 'USD', 'receivable', 'available'],
  ['receivable', 'GMP', 'receivable', 'available'],
  ['funding', 'USD', 'treasury', 'stake_rewards'],
] as const;

const movesOf = (user: string) =>
  fc
    .array(fc.record({ move: fc.constantFrom(...moves), units: fc.bigInt(1n, 10n ** 12n) }), { maxLength: 30 })
    .map((chosen): Posting[] =>
      chosen.map(({ move: [kind, asset, debit, credit], units }) => {
        const userId = [debit, credit].some((account) => Account.options.indexOf(account) <= 3) ? user : null;
        return { kind, causeId: randomUUID(), part: 0, userId, asset, debit, credit, units };
      }),
    );

test('the totals match a reference implementation for any postings, and the ledger is sound', async () => {
  const property = fc.asyncProperty(fc.gen(), async (generate) => {
    const { id: userId } = await addUser(db.owner);
    // Enough money for all transfers: refusals are tested elsewhere.
    const rich = [
      deposit({ userId, units: 3n * 10n ** 15n }),
      deposit({ userId, units: 10n ** 15n, debit: 'available', credit: 'staked', kind: 'stake' }),
      deposit({ userId, units: 10n ** 15n, debit: 'available', credit: 'held', kind: 'withdrawal' }),
    ];
    const postings = [...rich, ...generate(movesOf, userId)];
    for (let start = 0; start < postings.length; start += 7) await posted(...postings.slice(start, start + 7));
    const { userId: _userId, ...figures } = await totalsOf(userId);
    expect(figures).toEqual(referenceTotals(postings.filter((it) => it.userId !== null)));
  });
  await fc.assert(property, propertyRuns({ gate: 20, thorough: 40 }));
  await expectAddsUp();
}, 300_000);

test('reversing all postings restores every figure', async () => {
  const property = fc.asyncProperty(fc.gen(), async (generate) => {
    const { id: userId } = await addUser(db.owner);
    await posted(deposit({ userId, units: 10n ** 15n }));
    const before = await totalsOf(userId);
    const once = generate(movesOf, userId).filter(
      ({ kind, debit }) => !/^(stake-|loyalty|gmp|rank|receivable)/.test(kind) && !['staked', 'held'].includes(debit),
    );
    if (once.length > 0) await posted(...once);
    for (const { kind, causeId, part } of once.toReversed()) await reversed({ kind, causeId, part });
    expect(await totalsOf(userId)).toEqual(before);
  });
  await fc.assert(property, propertyRuns({ gate: 10, thorough: 20 }));
  await expectAddsUp();
}, 300_000);
