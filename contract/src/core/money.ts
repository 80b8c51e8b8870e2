import { z } from 'zod';
import { rule } from './field-errors.ts';

/** SLX are points. SHARE counts the shares that determine the distribution of GMP. */
export type Asset = z.output<typeof Asset>;
export const Asset = z.enum(['USD', 'SOL', 'GMP', 'SLX', 'SHARE']);

/** The decimals of each asset. An amount is a whole number of the smallest unit. */
const decimals: Record<Asset, number> = { USD: 6, SOL: 9, GMP: 6, SLX: 0, SHARE: 0 };

/** The sum of two amounts must fit PostgreSQL's bigint. */
const largest = 2n ** 62n - 1n;

/**
 * Parses user input: "12.5" with 6 decimals is 12500000 units. Returns undefined if the text is not an amount, or has
 * more decimals than the asset.
 */
export function readAmount(text: string, asset: Asset): bigint | undefined {
  const { sign, whole, fraction } = /^(?<sign>-?)(?<whole>\d{1,19})(?:\.(?<fraction>\d+))?$/.exec(text)?.groups ?? {};
  if (whole === undefined || (fraction ?? '').length > decimals[asset]) return undefined;
  const units = BigInt(whole + (fraction ?? '').padEnd(decimals[asset], '0'));
  if (units > largest) return undefined;
  return sign ? -units : units;
}

/** Parses text from the server or the database. Throws if it is not an amount: unreadable money is never zero. */
export function parseAmount(text: string, asset: Asset): bigint {
  const units = readAmount(text, asset);
  if (units === undefined) throw new Error(`${JSON.stringify(text)} is not an amount in ${asset}.`);
  return units;
}

/** Formats an amount exactly, without trailing zeros but with at least two decimals, unless the asset has none. */
export function writeAmount(units: bigint, asset: Asset): string {
  const places = decimals[asset];
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits
    .slice(digits.length - places)
    .replace(/0+$/, '')
    .padEnd(Math.min(2, places), '0');
  return `${units < 0n ? '-' : ''}${whole}${fraction && `.${fraction}`}`;
}

const amountRule = (asset: Asset) =>
  rule(decimals[asset] > 0 ? `must be an amount with at most ${decimals[asset]} decimals` : 'must be a whole number');

/** An amount: a decimal string on the wire, units as bigint in memory. */
export const amount = (asset: Asset) =>
  z.codec(
    z.string().refine((text) => readAmount(text, asset) !== undefined, { abort: true, ...amountRule(asset) }),
    z.bigint(),
    {
      decode: (text) => parseAmount(text, asset),
      encode: (units) => writeAmount(units, asset),
    },
  );

/** A share: a percentage with at most two decimals on the wire, basis points in memory. */
export const Percentage = z.codec(z.number().min(0).max(100).multipleOf(0.01), z.int().min(0).max(10_000), {
  decode: (percent) => Math.round(percent * 100),
  encode: (basisPoints) => basisPoints / 100,
});

/** A rate with finer steps than a share: at most four decimals on the wire, parts per million in memory. */
export const Rate = z.codec(z.number().min(0).max(100).multipleOf(0.0001), z.int().min(0).max(1_000_000), {
  decode: (percent) => Math.round(percent * 10_000),
  encode: (partsPerMillion) => partsPerMillion / 10_000,
});

/** All values are in the smallest units of the limit's asset. */
type LimitUse = {
  limit: bigint;
  /** What the same administrator moved today without a second approver. */
  usedToday: bigint;
  /** The unsigned amount to move now. */
  units: bigint;
};

/** What an administrator may move in a day without a second approver, and has moved today. */
export type AloneLimit = Omit<LimitUse, 'units'>;

/** Whether a second approver is needed. The panel says so in advance; the database decides (`is_within_limit`). */
export const isAboveLimit = ({ limit, usedToday, units }: LimitUse) => usedToday + units > limit;
