import type { Approval, ApprovalKind } from 'contract/approvals.ts';
import type { Asset } from 'contract/core/money.ts';
import { readFactAmount } from 'contract/approvals-facts.ts';
import { formatAssetAmount } from '#panel/domain/fact-text.ts';
import { amountOf } from './columns.tsx';

/** The amount of the others is a limit, or there is none: they have no sum. */
const movesMoney: readonly ApprovalKind[] = ['withdrawal', 'adjustment', 'task', 'run'];

/** "$12,345.00 + 40 shares": what these requests move, each asset by itself. */
export function formatTotals(approvals: readonly Approval[]) {
  const totals = new Map<Asset, bigint>();
  for (const approval of approvals.filter(({ kind }) => movesMoney.includes(kind))) {
    const amount = readFactAmount(amountOf(approval)?.value ?? '');
    // What is deducted is moved as well: a sum in which it cancels out would hide it.
    const moved = amount && (amount.units < 0n ? -amount.units : amount.units);
    if (amount && moved !== undefined) totals.set(amount.asset, (totals.get(amount.asset) ?? 0n) + moved);
  }
  return [...totals].map(([asset, units]) => formatAssetAmount(units, asset)).join(' + ');
}
