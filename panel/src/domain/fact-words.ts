import type { ApprovalFact } from 'contract/approvals.ts';
import { type Asset, readAmount } from 'contract/core/money.ts';
import { sayAmount } from '#panel/ui/amount.tsx';

/** What people typed is shown as they typed it, whatever it looks like. */
const typed = new Set([
  'Withdrawal of',
  'Adjustment for',
  'Task reward for',
  'Reason',
  'Takes back',
  'Task',
  'Post URL',
]);

export const isTyped = ({ name }: ApprovalFact) => typed.has(name);

const writtenAmount = /^(?<plus>\+?)(?<figure>-?\d+(?:\.\d+)?) (?<asset>USD|SOL|GMP|SLX|SHARE)$/;

/** "1234.50 USD", as a request holds an amount. Undefined where it is none. */
export function readFactAmount(value: string) {
  const { plus = '', figure = '', asset } = writtenAmount.exec(value)?.groups ?? {};
  if (asset === undefined) return undefined;
  const units = readAmount(figure, asset as Asset);
  return units === undefined ? undefined : { plus, figure, units, asset: asset as Asset };
}

const unitNames: Partial<Record<Asset, string>> = { SOL: ' SOL', GMP: ' GMP', SLX: ' SLX', SHARE: ' shares' };

/** "$1,234.50" or "40 shares". */
export const formatAssetAmount = (units: bigint, asset: Asset) => `${sayAmount(units, asset)}${unitNames[asset] ?? ''}`;

/** A fact within a sentence; a change has an arrow between two values. */
export function formatFact(fact: ApprovalFact) {
  if (isTyped(fact)) return fact.value;
  return fact.value.split(' → ').map(formatPart).join(' → ');
}

function formatPart(value: string) {
  const amount = readFactAmount(value);
  return amount ? `${amount.plus}${formatAssetAmount(amount.units, amount.asset)}` : value;
}
