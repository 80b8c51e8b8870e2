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
  ['Gold.referrals', { Gold: { referrals: 4, volume: '10000.00' } }, 'Gold must require at least as much as Silver.'],
  ['Gold.volume', { Gold: { referrals: 20, volume: '999.999999' } }, 'Gold must require at least as much as Silver.'],
  [
    'Platinum.volume',
    { Platinum: { referrals: 50, volume: '0.00' } },
    'Platinum must require at least as much as Gold.',
  ],
])('a rank with a lower threshold than the rank below is refused at %s', (field, wrong, text) => {
  const { error } = RankThresholds.safeParse({ ...onWire, ...wrong });
  expect(error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([[field, text]]);
});

test('ranks with equal thresholds are accepted', () => {
  const { Silver } = onWire;
  expect(RankThresholds.safeParse({ Silver, Gold: Silver, Platinum: Silver }).success).toBe(true);
});

const goldFigures = {
  rank: 'none',
  referralCount: 20,
  totalTeamVolumeUSD: 10_000n * dollar,
  isBlacklisted: false,
  isDeleted: false,
} as const;
const movesTo = (changes: Partial<Parameters<typeof refuseMove>[1]>) =>
  Rank.options.filter((rank) => refuseMove(thresholds, { ...goldFigures, ...changes }, rank) === undefined);

test('a user moves to the highest rank whose two thresholds are both met', () => {
  expect(movesTo({})).toEqual(['Gold']);
  expect(movesTo({ rank: 'Silver' })).toEqual(['Gold']);
  expect(movesTo({ referralCount: 19 })).toEqual(['Silver']);
  expect(movesTo({ totalTeamVolumeUSD: 10_000n * dollar - 1n })).toEqual(['Silver']);
  expect(movesTo({ referralCount: 4 })).toEqual([]);
});

test('a user never moves down or to the same rank, and a blacklisted or deleted user never moves', () => {
  expect(movesTo({ rank: 'Gold' })).toEqual([]);
  expect(movesTo({ rank: 'Platinum' })).toEqual([]);
  expect(movesTo({ isBlacklisted: true })).toEqual([]);
  expect(movesTo({ isDeleted: true })).toEqual([]);
});
