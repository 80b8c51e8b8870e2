import { expect, test } from 'vitest';
import { Rank, RankThresholds, refuseMove } from './ranks.ts';

const onWire = {
  Silver: { referrals: 5, volume: '1000.00' },
  Gold: { referrals: 20, volume: '10000.00' },
  Platinum: { referrals: 50, volume: '100000.00' },
};
const thresholds = RankThresholds.parse(onWire);
const dollar = 1_000_000n;

test.each([
  ['Gold.referrals', { Gold: { referrals: 4, volume: '10000.00' } }, 'Gold asks for at least what Silver does.'],
  ['Gold.volume', { Gold: { referrals: 20, volume: '999.999999' } }, 'Gold asks for at least what Silver does.'],
  ['Platinum.volume', { Platinum: { referrals: 50, volume: '0.00' } }, 'Platinum asks for at least what Gold does.'],
])('a rank that asks for less than the one below is refused at %s', (field, wrong, words) => {
  const { error } = RankThresholds.safeParse({ ...onWire, ...wrong });
  expect(error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([[field, words]]);
});

test('ranks that ask for the same are taken', () => {
  const { Silver } = onWire;
  expect(RankThresholds.safeParse({ Silver, Gold: Silver, Platinum: Silver }).success).toBe(true);
});

const standing = {
  rank: 'none',
  referralCount: 20,
  totalTeamVolumeUSD: 10_000n * dollar,
  isBlacklisted: false,
  isDeleted: false,
} as const;
const movesTo = (changes: Partial<Parameters<typeof refuseMove>[1]>) =>
  Rank.options.filter((rank) => refuseMove(thresholds, { ...standing, ...changes }, rank) === undefined);

test('the thresholds move somebody to the highest rank of which both are met', () => {
  expect(movesTo({})).toEqual(['Gold']);
  expect(movesTo({ rank: 'Silver' })).toEqual(['Gold']);
  expect(movesTo({ referralCount: 19 })).toEqual(['Silver']);
  expect(movesTo({ totalTeamVolumeUSD: 10_000n * dollar - 1n })).toEqual(['Silver']);
  expect(movesTo({ referralCount: 4 })).toEqual([]);
});

test('nobody moves down or stays with a promotion, and nobody moves who is blacklisted or deleted', () => {
  expect(movesTo({ rank: 'Gold' })).toEqual([]);
  expect(movesTo({ rank: 'Platinum' })).toEqual([]);
  expect(movesTo({ isBlacklisted: true })).toEqual([]);
  expect(movesTo({ isDeleted: true })).toEqual([]);
});
