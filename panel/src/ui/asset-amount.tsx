import { type Asset, readAmount } from 'contract/money.ts';
import { Amount } from './amount.tsx';

const unitless: Partial<Record<Asset, string>> = { SLX: 'SLX', SHARE: 'shares' };

/** Between other assets the plain figures of points and shares need their names. */
export function AssetAmount({ amount, asset }: { amount: string; asset: Asset }) {
  const unit = unitless[asset];
  return (
    <span className="asset-amount">
      <Amount units={readAmount(amount, asset) ?? 0n} asset={asset} />
      {unit && <span className="amount-unit">{unit}</span>}
    </span>
  );
}
