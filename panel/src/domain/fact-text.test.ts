import type { ApprovalFact } from 'contract/approvals-facts.ts';
import { expect, test } from 'vitest';
import { formatFact, formatRunOf, labelOfFact } from './fact-text.ts';

test.each<[ApprovalFact, string]>([
  [{ key: 'amount', value: '1234500000 USD' }, 'Amount: $1,234.50'],
  [{ key: 'adjustment', value: '54321000000 USD' }, 'Amount: +$54,321.00'],
  [{ key: 'adjustment', value: '-5000000 USD' }, 'Amount: −$5.00'],
  [{ key: 'adjustment', value: '40 SHARE' }, 'Amount: +40 shares'],
  [{ key: 'setsAside', value: '1000000000001 GMP' }, 'Set aside: 1,000,000.000001 GMP'],
  [{ key: 'limit', before: '100000000 USD', value: '2500000000 USD' }, 'Limit: $100.00 → $2,500.00'],
  [{ key: 'setting.baseReward', before: '50', value: '33.33' }, 'Base reward: 50% → 33.33%'],
  [{ key: 'setting.bonusAmount', before: '10.00', value: '1250.50' }, 'Bonus amount: $10.00 → $1,250.50'],
  [{ key: 'setting.rank', before: 'Silver', value: 'Gold' }, 'Rank: Silver → Gold'],
  [{ key: 'setting.period', before: '30', value: '7' }, 'Period in days: 30 → 7'],
  [{ key: 'setting.Gold.referrals', before: '20', value: '25' }, 'Gold: direct referrals: 20 → 25'],
  [{ key: 'setting.Gold.volume', before: '5000.00', value: '0.00' }, 'Gold: team volume: $5,000.00 → $0.00'],
  [{ key: 'later.2026-06-01.baseReward', before: '30', value: '50' }, 'Base reward from 1 Jun 2026: 30% → 50%'],
  [{ key: 'rank', before: 'none', value: 'Gold' }, 'Rank: No rank → Gold'],
  [{ key: 'promotion', value: '100007 Silver' }, 'Promotion: 100007 → Silver'],
  [{ key: 'role', before: 'Admin', value: 'SuperAdmin' }, 'Role: Admin → Super Admin'],
  [{ key: 'role', before: 'Admin', value: 'deleted' }, 'Role: Admin → Deleted'],
  [{ key: 'authority', value: 'created' }, 'Change to confirm: New account'],
  [{ key: 'authority', value: 'widened' }, 'Change to confirm: More permissions'],
  [{ key: 'authority', value: 'password' }, 'Change to confirm: New password'],
  [{ key: 'limitKind', value: 'alone' }, 'Applies to: Daily limit per administrator'],
  [{ key: 'limitKind', value: 'schedule' }, 'Applies to: Scheduled runs'],
  [{ key: 'setting.enabled', before: 'false', value: 'true' }, 'Enabled: no → yes'],
  [{ key: 'version', before: '3', value: '4' }, 'Version: 3 → 4'],
  [{ key: 'days', value: '1' }, 'Stake plan: 1 day'],
  [{ key: 'dailyRate', value: '5' }, 'Daily rate: 0.05%'],
  [{ key: 'treasury', value: 'out' }, 'Treasury: Money out'],
  [{ key: 'payments', value: '12345' }, 'Payments: 12,345'],
  // Text that an administrator typed is shown unchanged.
  [{ key: 'reason', value: '5000000 USD' }, 'Reason: 5000000 USD'],
  // Requests from before keys were introduced have labels instead.
  [{ key: 'Withdrawal of', value: '7 USD' }, 'Withdrawal of: 7 USD'],
])('%j is shown as %s', (fact, text) => {
  expect(`${labelOfFact(fact)}: ${formatFact(fact)}`).toBe(text);
});

test('a run is named in full, and so is a reversal', () => {
  const facts = [
    { key: 'job', value: 'stake-payout' },
    { key: 'period', value: '2026-11-14' },
  ];
  expect(formatRunOf(facts)).toBe('Stake payout, 14 Nov 2026');
  expect(formatRunOf([...facts, { key: 'direction', value: 'reversal' }])).toBe(
    'Reversal of stake payout, 14 Nov 2026',
  );
  expect(formatRunOf([{ key: 'Run', value: 'Stake payout 2026-11-14' }])).toBeUndefined();
});
