import { type Asset, parseAmount, writeAmount } from 'contract/core/money.ts';
import { createContext, use } from 'react';
import './amount.css';
import { groupThousands } from './formats.ts';

export type Money = { units: bigint; asset: Asset };

export const dollars = (units: bigint): Money => ({ units, asset: 'USD' });

/** An amount as it travels. */
export const moneyIn = ({ amount, asset }: { amount: string; asset: Asset }): Money => ({
  units: parseAmount(amount, asset),
  asset,
});

/** Thousands apart; exact, because rounding money for the eye would make two screens disagree. */
export function formatAmount(units: bigint, asset: Asset) {
  const [whole = '', fraction] = writeAmount(units, asset).split('.');
  const grouped = groupThousands(whole);
  const figure = fraction === undefined ? grouped : `${grouped}.${fraction}`;
  // A true minus stands as wide as a digit; a hyphen is easily missed.
  return (asset === 'USD' ? figure.replace(/^-?/, '$&$') : figure).replace('-', '−');
}

/** For a sentence: the unit stands with every asset but dollars, which have their sign. */
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

/** Points and shares are plain figures, except between other assets, where they need their names. */
export function unitOf(asset: Asset, named: boolean) {
  const { always, named: name } = units[asset];
  return always ?? (named ? name : undefined) ?? '';
}

/** How the amounts of a column are written, so that their decimal points are under each other. */
export type Alignment = {
  /** The longest fraction of any of them. */
  decimals: number;
  /** The longest fraction in each asset. Shorter ones are filled up with zeros, which change no amount. */
  ofAsset: Partial<Record<Asset, number>>;
  /** The widest unit behind any of them. */
  unit: string;
};

export const unaligned: Alignment = { decimals: 0, ofAsset: {}, unit: '' };

export const AlignmentContext = createContext(unaligned);

/**
 * The unit is quieter than the digits, and so are the zeros that a column adds. These are drawn and not written: whoever
 * copies an amount, searches for it or has it read out gets the amount alone.
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

/** What stands for decimals that an asset does not have takes up their space and is not seen. */
const spaceFor = (filled: number, decimals: number) => `${filled === 0 ? '.' : ''}${'0'.repeat(decimals - filled)}`;
