import { type Asset, parseAmount, writeAmount } from 'contract/core/money.ts';
import { createContext, use } from 'react';
import './amount.css';
import { groupThousands } from './formats.ts';

export type Money = { units: bigint; asset: Asset };

export const dollars = (units: bigint): Money => ({ units, asset: 'USD' });

/** Parses an amount in wire format. Throws if it is not an amount of that asset. */
export const moneyIn = ({ amount, asset }: { amount: string; asset: Asset }): Money => ({
  units: parseAmount(amount, asset),
  asset,
});

/** Formats with thousands separators and without rounding, because rounded amounts would differ between screens. */
export function formatAmount(units: bigint, asset: Asset) {
  const [whole = '', fraction] = writeAmount(units, asset).split('.');
  const grouped = groupThousands(whole);
  const figure = fraction === undefined ? grouped : `${grouped}.${fraction}`;
  // A minus sign is as wide as a digit; a hyphen is easily overlooked.
  return (asset === 'USD' ? figure.replace(/^-?/, '$&$') : figure).replace('-', '−');
}

/** Formats an amount for a sentence: followed by its unit, except for dollars, which have their sign. */
export const formatMoney = ({ units: amount, asset }: Money) =>
  asset === 'USD' ? formatAmount(amount, asset) : `${formatAmount(amount, asset)} ${asset}`;

export const decimalsIn = (figure: string) => figure.split('.')[1]?.length ?? 0;

const units: Record<Asset, { always?: string; named?: string }> = {
  USD: {},
  SOL: { always: 'SOL' },
  GMP: { always: 'GMP' },
  SLX: { named: 'SLX' },
  SHARE: { named: 'shares' },
};

/** Points and shares have no unit, except beside other assets (`named`), where they need one. */
export function unitOf(asset: Asset, named: boolean) {
  const { always, named: name } = units[asset];
  return always ?? (named ? name : undefined) ?? '';
}

/** How the amounts of a column are aligned at their decimal points. */
export type Alignment = {
  /** The number of decimals of the longest fraction. */
  decimals: number;
  /** The same for each asset. Shorter fractions are padded with zeros, which change no amount. */
  ofAsset: Partial<Record<Asset, number>>;
  /** The widest unit of any amount. */
  unit: string;
};

export const unaligned: Alignment = { decimals: 0, ofAsset: {}, unit: '' };

export const AlignmentContext = createContext(unaligned);

/**
 * Shows the unit, and the zeros that a column adds, less prominently than the digits. CSS draws the zeros, so that
 * copying, searching and screen readers get only the amount.
 */
export function Amount({ units: amount, asset, named = false }: Money & { named?: boolean }) {
  const { decimals, ofAsset, unit: widest } = use(AlignmentContext);
  const figure = formatAmount(amount, asset);
  const filled = Math.max(decimalsIn(figure), ofAsset[asset] ?? 0);
  const zeros = '0'.repeat(filled - decimalsIn(figure));
  const unit = unitOf(asset, named);
  return (
    <span className="amount">
      {figure}
      {zeros !== '' && <span className="amount-zeros" data-drawn={zeros} aria-hidden />}
      {decimals > filled && <span className="amount-space" data-drawn={spaceFor(filled, decimals)} aria-hidden />}
      {(unit !== '' || widest !== '') && (
        <span className="amount-unit" data-widest={widest || undefined}>
          {unit}
        </span>
      )}
    </span>
  );
}

/** An invisible placeholder as wide as the decimals that an asset does not have. */
const spaceFor = (filled: number, decimals: number) => `${filled === 0 ? '.' : ''}${'0'.repeat(decimals - filled)}`;
