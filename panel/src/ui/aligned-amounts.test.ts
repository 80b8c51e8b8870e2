import { expect, test } from 'vitest';
import { alignmentOf } from './aligned-amounts.tsx';

const usd = (units: bigint) => ({ units, asset: 'USD' }) as const;

test('amounts of one asset are aligned by the longest fraction', () => {
  const { decimals, ofAsset, unit } = alignmentOf([usd(25_000_000n), usd(98_765n), usd(1_500_000n)], { named: true });
  expect({ decimals, ofAsset, unit }).toEqual({ decimals: 6, ofAsset: { USD: 6 }, unit: '' });
});

test('assets with fewer decimals are padded to the longest fraction, and units to the widest one', () => {
  const amounts = [usd(25_000_000n), { units: 1_234_500n, asset: 'GMP' }, { units: 40n, asset: 'SHARE' }] as const;
  expect(alignmentOf(amounts, { named: true })).toEqual({
    decimals: 4,
    ofAsset: { USD: 2, GMP: 4, SHARE: 0 },
    unit: 'shares',
  });
  expect(alignmentOf(amounts, { named: false }).unit).toBe('GMP');
});

test('without amounts there is nothing to align', () => {
  expect(alignmentOf([], { named: true })).toEqual({ decimals: 0, ofAsset: {}, unit: '' });
});
