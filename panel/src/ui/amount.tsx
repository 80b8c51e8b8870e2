import { type Asset, writeAmount } from 'contract/money.ts';
import './amount.css';

/** Thousands apart; exact, because rounding money for the eye would make two screens disagree. */
export function sayAmount(units: bigint, asset: Asset) {
  const [whole = '', fraction] = writeAmount(units, asset).split('.');
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  const figure = fraction === undefined ? grouped : `${grouped}.${fraction}`;
  return asset === 'USD' ? figure.replace(/^-?/, '$&$') : figure;
}

/** The unit stands quieter than the digits. Points and shares are plain figures. */
export function Amount({ units, asset }: { units: bigint; asset: Asset }) {
  return (
    <span className="amount">
      {sayAmount(units, asset)}
      {(asset === 'SOL' || asset === 'GMP') && <span className="amount-unit">{asset}</span>}
    </span>
  );
}
