import { expect, test } from 'vitest';
import { formatFact, readFactAmount } from './fact-words.ts';

test.each([
  ['Amount', '1234.50 USD', '$1,234.50'],
  ['Amount', '+54321.00 USD', '+$54,321.00'],
  ['Amount', '-5.00 USD', '−$5.00'],
  ['Amount', '+40 SHARE', '+40 shares'],
  ['Set aside', '1000000.000001 GMP', '1,000,000.000001 GMP'],
  ['Bonus amount', '100.00 USD → 2500.00 USD', '$100.00 → $2,500.00'],
  ['Base reward', '50 % → 33.33 %', '50 % → 33.33 %'],
  ['Version', '3 → 4', '3 → 4'],
  // What people typed is theirs.
  ['Reason', '5.00 USD', '5.00 USD'],
  ['Withdrawal of', '7 USD', '7 USD'],
])('%s: %s reads %s', (name, value, words) => {
  expect(formatFact({ name, value })).toBe(words);
});

test.each(['', 'USD', '12 EUR', '1.2.3 USD', '1,000.00 USD', ' 5 USD', '0.0000001 USD'])('%j is no amount', (value) => {
  expect(readFactAmount(value)).toBeUndefined();
});
