import type { Asset } from 'contract/core/money.ts';
import { Amount, moneyIn } from './amount.tsx';

/** An amount in wire format, shown beside amounts of other assets. */
export function AssetAmount({ amount, asset }: { amount: string; asset: Asset }) {
  return <Amount {...moneyIn({ amount, asset })} named />;
}
