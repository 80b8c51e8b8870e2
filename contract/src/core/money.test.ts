import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { amount, isAboveLimit, parseAmount, Percentage, Rate, readAmount, writeAmount } from './money.ts';

test('an amount survives the round trip over the wire, in every asset', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n - 2n ** 62n, max: 2n ** 62n - 1n }),
      fc.constantFrom('USD', 'SOL', 'GMP', 'SLX'),
      (units, asset) => {
        const text = writeAmount(units, asset);
        expect(text).toMatch(/^-?\d+(\.\d{2,9})?$/);
        expect(readAmount(text, asset)).toBe(units);
        expect(parseAmount(text, asset)).toBe(units);
        expect(z.decode(amount(asset), z.encode(amount(asset), units))).toBe(units);
      },
    ),
  );
});

test.each([
  ['12.50', 'USD', 12_500_000n],
  ['0.000001', 'USD', 1n],
  ['1', 'SOL', 1_000_000_000n],
  ['-3.5', 'GMP', -3_500_000n],
  ['7', 'SLX', 7n],
] as const)('%s %s is %d units', (text, asset, units) => {
  expect(readAmount(text, asset)).toBe(units);
});

test.each(['', '1.', '.5', '1e3', '0x1', ' 1', '1 ', '+1', '1,000', 'NaN', '1.0000001', '99999999999999999999'])(
  '%j is not an amount of USD',
  (text) => {
    expect(readAmount(text, 'USD')).toBeUndefined();
    expect(() => parseAmount(text, 'USD')).toThrow(`${JSON.stringify(text)} is not an amount in USD.`);
    expect(amount('USD').safeDecode(text).success).toBe(false);
  },
);

test('points have no fractions', () => {
  expect(readAmount('1.5', 'SLX')).toBeUndefined();
});

test.each([
  [0, 0],
  [12.5, 1_250],
  [0.15, 15],
  [99.99, 9_999],
  [100, 10_000],
])('%d percent is %d basis points, in both directions', (percent, basisPoints) => {
  expect(z.decode(Percentage, percent)).toBe(basisPoints);
  expect(z.encode(Percentage, basisPoints)).toBe(percent);
});

test('every basis point survives the round trip over the wire', () => {
  for (let points = 0; points <= 10_000; points += 1) {
    expect(z.decode(Percentage, z.encode(Percentage, points))).toBe(points);
  }
});

test('every part per million survives the round trip over the wire', () => {
  for (let parts = 0; parts <= 1_000_000; parts += 7) {
    expect(z.decode(Rate, z.encode(Rate, parts))).toBe(parts);
  }
});

test.each([-0.0001, 100.0001, 0.00001])('%d is not a rate', (percent) => {
  expect(Rate.safeDecode(percent).success).toBe(false);
});

test.each([-0.01, 100.01, 0.001])('%d is not a percentage', (percent) => {
  expect(Percentage.safeDecode(percent).success).toBe(false);
});

test.each([
  ['an amount below it', { usedToday: 0n, units: 99n }, false],
  ['exactly the limit', { usedToday: 0n, units: 100n }, false],
  ['one unit more', { usedToday: 0n, units: 101n }, true],
  ['the rest of the day', { usedToday: 40n, units: 60n }, false],
  ['one unit more than the rest of the day', { usedToday: 40n, units: 61n }, true],
  ['any amount when the day is used up', { usedToday: 100n, units: 1n }, true],
])('a limit of 100: %s', (_what, use, above) => {
  expect(isAboveLimit({ limit: 100n, ...use })).toBe(above);
});

test('a limit of zero allows only zero', () => {
  expect(isAboveLimit({ limit: 0n, usedToday: 0n, units: 0n })).toBe(false);
  expect(isAboveLimit({ limit: 0n, usedToday: 0n, units: 1n })).toBe(true);
});
