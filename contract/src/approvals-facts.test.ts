import { expect, test } from 'vitest';
import { readFactAmount, writeFactAmount } from './approvals-facts.ts';

test('readFactAmount reads what writeFactAmount wrote', () => {
  expect(readFactAmount(writeFactAmount(-1_234_500_000n, 'USD'))).toEqual({ units: -1_234_500_000n, asset: 'USD' });
});

test.each(['', 'USD', '12 EUR', '1.2 USD', '1,000 USD', ' 5 USD', '5 USD '])('%j is not a fact amount', (value) => {
  expect(readFactAmount(value)).toBeUndefined();
});
