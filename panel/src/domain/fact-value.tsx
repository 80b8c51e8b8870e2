import { type ApprovalFact, readFactAmount } from 'contract/approvals-facts.ts';
import { writeAmount } from 'contract/core/money.ts';
import { AssetAmount } from '#panel/ui/asset-amount.tsx';
import { Timestamp } from '#panel/ui/timestamp.tsx';
import { ShortId } from '#panel/ui/short-id.tsx';
import { formatFact, typeOfFact } from './fact-text.ts';

/** A fact of a request, shown like the same type of value on other screens. */
export function FactValue({ fact }: { fact: ApprovalFact }) {
  if (fact.before !== undefined) return formatFact(fact);
  const type = typeOfFact(fact);
  if (type === 'id') return <ShortId id={fact.value} />;
  if (type === 'time') return <Timestamp at={new Date(fact.value)} />;
  return type === 'amount' || type === 'signedAmount' ? <FactAmount fact={fact} /> : formatFact(fact);
}

function FactAmount({ fact }: { fact: ApprovalFact }) {
  const amount = readFactAmount(fact.value);
  if (!amount) return fact.value;
  const plus = typeOfFact(fact) === 'signedAmount' && amount.units > 0n;
  return (
    <span className="amount">
      {plus && '+'}
      <AssetAmount amount={writeAmount(amount.units, amount.asset)} asset={amount.asset} />
    </span>
  );
}
