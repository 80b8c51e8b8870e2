import type { Difference, DifferenceCode } from './ledger-verification.ts';

/** What a verification of the ledger can find. */
const differenceTexts: Record<DifferenceCode, string> = {
  'user-totals': 'the totals of a user differ from their transfers',
  'account-balance': 'a balance differs from the transfers of its account',
  'asset-sum': 'the accounts of an asset do not add up to zero',
  'totals-of-all-users': 'the totals of all users differ from the balances',
  'transfer-missing': 'a transfer that was posted is missing',
  'reversal-mismatch': 'a transfer does not match the transfer that it reverses',
  'reversed-twice': 'a transfer is reversed more than once',
  'payment-key': 'a key that forbids a second payment is missing or wrong',
  'held-balance': 'the held balances differ from the pending withdrawals',
  'staked-balance': 'the staked balances differ from the active stakes',
  'paid-twice': 'a payment was posted twice',
  deposit: 'a deposit is not what was posted for it',
  adjustment: 'an adjustment is not what was posted for it',
  receivable: 'a receivable is not what was posted for it',
  withdrawal: 'a withdrawal is not what was posted for it',
  'withdrawal-unapproved': 'a withdrawal was approved or returned without a decision about its amount',
  'task-reward': 'a task reward is not what was posted for it',
  stake: 'a stake is not what was posted for it',
  'transfer-count': 'a transfer count is wrong',
  'run-payments': 'what was posted differs from what was planned',
  'funding-unexplained': 'a funding transfer has no source',
  'receivable-unexplained': 'a receivable is more than what its run moved',
  'loyalty-overpaid': 'more loyalty was paid for a stake than was set aside for it',
  'run-sums': 'a run’s sums are not those of its lines',
  'deposit-unsealed': 'a deposit was not recorded by Bursar, or was changed since',
  'withdrawal-unsealed': 'the outcome of a withdrawal was not recorded by Bursar, or was changed since',
  'withdrawal-request-unsealed': 'a withdrawal was not requested through Bursar, or was changed since',
};

/** "a payment was posted twice: 2026-11-15 gmp 0193…, and 3 more". */
export function formatDifference({ code, params: { count, where } }: Difference) {
  const more = count - where.length;
  return `${differenceTexts[code]}: ${where.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}
