import type { ApprovalFact } from 'contract/approvals.ts';
import { type Asset, readAmount } from 'contract/money.ts';
import { sayAmount } from '#panel/ui/amount.tsx';
import { AssetAmount } from '#panel/ui/asset-amount.tsx';
import { Moment } from '#panel/ui/moment.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';

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
const long = new Set(['To wallet', 'Sent on the chain already', 'Plan', 'Corrections']);

const writtenAmount = /^(?<plus>\+?)(?<figure>-?\d+(?:\.\d+)?) (?<asset>USD|SOL|GMP|SLX|SHARE)$/;
const writtenTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

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
export function formatFact({ name, value }: ApprovalFact) {
  if (typed.has(name)) return value;
  return value.split(' → ').map(formatPart).join(' → ');
}

function formatPart(value: string) {
  const amount = readFactAmount(value);
  return amount ? `${amount.plus}${formatAssetAmount(amount.units, amount.asset)}` : value;
}

/**
 * A fact of a request as the other screens show its kind of value. The digest covers the value as the server wrote it:
 * only its looks change here.
 */
export function FactValue({ fact }: { fact: ApprovalFact }) {
  const { name, value } = fact;
  if (typed.has(name)) return value;
  if (long.has(name)) return <ShortId id={value} />;
  if (writtenTime.test(value)) return <Moment at={new Date(value)} />;
  const amount = readFactAmount(value);
  if (!amount) return formatFact(fact);
  return (
    <span className="amount">
      {amount.plus}
      <AssetAmount amount={amount.figure} asset={amount.asset} />
    </span>
  );
}
