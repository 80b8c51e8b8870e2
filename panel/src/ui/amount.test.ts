import { expect, test } from 'vitest';
import { moneyIn, formatAmount } from './amount.tsx';

test.each([
  [0n, 'USD', '$0.00'],
  [12_500_000n, 'USD', '$12.50'],
  [1_234_567_890_000n, 'USD', '$1,234,567.89'],
  [1n, 'USD', '$0.000001'],
  [-5_000_000n, 'USD', '−$5.00'],
  [-1_000_000_000n, 'SOL', '−1.00'],
  [1_000_000_000n, 'SOL', '1.00'],
  [12_345n, 'SLX', '12,345'],
] as const)('%d units of %s are formatted as %s', (units, asset, text) => {
  expect(formatAmount(units, asset)).toBe(text);
});

test('an invalid amount throws instead of being read as zero', () => {
  expect(moneyIn({ amount: '12.50', asset: 'USD' })).toEqual({ units: 12_500_000n, asset: 'USD' });
  expect(() => moneyIn({ amount: '12.5.0', asset: 'USD' })).toThrow('"12.5.0" is not an amount in USD.');
});
