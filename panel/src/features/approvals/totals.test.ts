import type { Approval } from 'contract/approvals.ts';
import { expect, test } from 'vitest';
import { formatTotals } from './totals.ts';

const request = (kind: Approval['kind'], amount: string) =>
  ({ kind, facts: [{ name: 'Amount', value: amount }] }) as Approval;

test('what requests move is summed for each asset; a limit moves nothing, and what is deducted does not cancel out', () => {
  const requests = [
    request('withdrawal', '1234.50 USD'),
    request('withdrawal', '0.50 USD'),
    request('adjustment', '-100.00 USD'),
    request('adjustment', '+40 SHARE'),
    request('run', '1000.00 GMP'),
    request('limit', '9999.00 USD'),
  ];
  expect(formatTotals(requests)).toBe('$1,335.00 + 40 shares + 1,000.00 GMP');
  expect(formatTotals([])).toBe('');
});
