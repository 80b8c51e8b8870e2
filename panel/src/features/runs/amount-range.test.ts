import { expect, test } from 'vitest';
import { readAmountRange } from './amount-range.ts';

test.each([
  ['12.50', { minAmount: '12.50', maxAmount: '12.50' }],
  ['$1,204.5', { minAmount: '1204.5', maxAmount: '1204.5' }],
  ['−$0.50', { minAmount: '0.50', maxAmount: '0.50' }],
  ['10-20', { minAmount: '10', maxAmount: '20' }],
  ['20 to 10 USD', { minAmount: '10', maxAmount: '20' }],
  ['10.5 – 20.25', { minAmount: '10.5', maxAmount: '20.25' }],
  ['1..2', { minAmount: '1', maxAmount: '2' }],
  ['> 100', { minAmount: '100' }],
  ['<=0.000001', { maxAmount: '0.000001' }],
  ['ten', undefined],
  ['1.0000001', undefined],
  ['10-', undefined],
])('%s is parsed as %o', (text, range) => {
  expect(readAmountRange(text)).toEqual(range);
});
