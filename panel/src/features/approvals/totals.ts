import type { Approval, ApprovalKind } from 'contract/approvals.ts';
import type { Asset } from 'contract/core/money.ts';
import { readFactAmount } from 'contract/approvals-facts.ts';
import { formatAssetAmount } from '#panel/domain/fact-text.ts';
import { amountOf } from './columns.tsx';

/** The kinds whose amounts are summed. The amount of the others is a limit, or they have none. */
const movesMoney: readonly ApprovalKind[] = ['withdrawal', 'adjustment', 'task', 'run'];

/** Formats the amounts that the requests move, summed per asset: "$12,345.00 + 40 shares". */
export function formatTotals(approvals: readonly Approval[]) {
  const totals = new Map<Asset, bigint>();
  for (const approval of approvals.filter(({ kind }) => movesMoney.includes(kind))) {
    const amount = readFactAmount(amountOf(approval)?.value ?? '');
    // A deduction counts with its absolute amount, so that it does not cancel out a credit.
    const moved = amount && (amount.units < 0n ? -amount.units : amount.units);
    if (amount && moved !== undefined) totals.set(amount.asset, (totals.get(amount.asset) ?? 0n) + moved);
  }
  return [...totals].map(([asset, units]) => formatAssetAmount(units, asset)).join(' + ');
}
