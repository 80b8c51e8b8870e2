import { type Asset, readAmount } from 'contract/core/money.ts';
import { walletFault } from 'contract/core/wallet.ts';
import type { ProblemCode } from 'contract/imports.ts';

/** A value as it is staged, or the problem with it. */
export type Value = { field: string | number | bigint | Date | Buffer | null } | { code: ProblemCode };
export type Read = (text: string) => Value;

const anything: Read = (text) => ({ field: text });

export const text =
  (longest: number): Read =>
  (given) => {
    // PostgreSQL stores no zero bytes.
    if (given.includes('\0')) return { code: 'NotText' };
    return given.length > longest ? { code: 'TooLong' } : anything(given);
  };

export const oneOf =
  (options: readonly string[]): Read =>
  (given) =>
    options.includes(given) ? anything(given) : { code: 'NotInList' };

export const wallet: Read = (given) => (walletFault(given) ? { code: 'NotAWallet' } : anything(given));

export const referralCode: Read = (given) => (/^[A-Z0-9]{6,12}$/.test(given) ? anything(given) : { code: 'NotACode' });

export const days: Read = (given) =>
  /^\d{1,4}$/.test(given) && Number(given) >= 1 && Number(given) <= 3650
    ? { field: Number(given) }
    : { code: 'NotDays' };

/** A percentage, in parts per million. */
export const rate: Read = (given) => {
  const { whole, fraction = '' } = /^(?<whole>\d{1,3})(?:\.(?<fraction>\d{1,4}))?$/.exec(given)?.groups ?? {};
  const partsPerMillion = Number(`${whole}${fraction.padEnd(4, '0')}`);
  return whole === undefined || partsPerMillion > 1_000_000 ? { code: 'NotARate' } : { field: partsPerMillion };
};

export const amount =
  (asset: Asset, least: 'zero' | 'more than zero'): Read =>
  (given) => {
    const units = readAmount(given, asset);
    if (units === undefined) return { code: 'NotAnAmount' };
    if (units < 0n) return { code: 'Negative' };
    return units === 0n && least !== 'zero' ? { code: 'NotPositive' } : { field: units };
  };

/** Date reads the 30th of February as a day in March. */
const isDay = (given: string) => {
  const midnight = new Date(`${given}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(given);
};

export const day: Read = (given) =>
  /^\d{4}-\d\d-\d\d$/.test(given) && isDay(given) ? anything(given) : { code: 'NotADay' };

const timePattern = /^(?<day>\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)$/;

/** A time in the past, to the millisecond. */
export const time: Read = (given) => {
  const at = new Date(given);
  const written = timePattern.exec(given)?.groups?.['day'];
  if (written === undefined || !isDay(written) || Number.isNaN(at.getTime())) return { code: 'NotATime' };
  return at.getTime() > Date.now() ? { code: 'InFuture' } : { field: at };
};
