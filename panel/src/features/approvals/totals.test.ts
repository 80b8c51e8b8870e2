import type { Approval } from 'contract/approvals.ts';
import { expect, test } from 'vitest';
import { formatTotals } from './totals.ts';

const request = (kind: Approval['kind'], value: string) => {
  const key = kind === 'adjustment' || kind === 'limit' ? kind : 'amount';
  return { kind, facts: [{ key, value }] } as unknown as Approval;
};

test('amounts are summed per asset, limits are left out, and deductions do not cancel out credits', () => {
  const requests = [
    request('withdrawal', '1234500000 USD'),
    request('withdrawal', '500000 USD'),
    request('adjustment', '-100000000 USD'),
    request('adjustment', '40 SHARE'),
    request('run', '1000000000 GMP'),
    request('limit', '9999000000 USD'),
  ];
  expect(formatTotals(requests)).toBe('$1,335.00 + 40 shares + 1,000.00 GMP');
  expect(formatTotals([])).toBe('');
});
