import { expect, test } from 'vitest';
import { readFactAmount, writeFactAmount } from './approvals-facts.ts';

test('an amount of a fact is read as it was written', () => {
  expect(readFactAmount(writeFactAmount(-1_234_500_000n, 'USD'))).toEqual({ units: -1_234_500_000n, asset: 'USD' });
});

test.each(['', 'USD', '12 EUR', '1.2 USD', '1,000 USD', ' 5 USD', '5 USD '])('%j is no amount', (value) => {
  expect(readFactAmount(value)).toBeUndefined();
});
