import type { ApprovalFact } from 'contract/approvals.ts';
import { AssetAmount } from '#panel/ui/asset-amount.tsx';
import { Moment } from '#panel/ui/moment.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { formatFact, isTyped, readFactAmount } from './fact-words.ts';

const long = new Set(['To wallet', 'Sent on the chain already', 'Plan', 'Corrections']);
const writtenTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/**
 * A fact of a request as the other screens show its kind of value. The digest covers the value as the server wrote it:
 * only its looks change here.
 */
export function FactValue({ fact }: { fact: ApprovalFact }) {
  const { name, value } = fact;
  if (isTyped(fact)) return value;
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
