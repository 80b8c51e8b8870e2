import { parseAmount } from 'contract/core/money.ts';

export type AmountRange = { minAmount?: string; maxAmount?: string };

const amount = String.raw`[-−]?\$?(\d{1,12}(?:\.\d{1,6})?)`;
const exact = new RegExp(`^${amount}$`);
const between = new RegExp(`^${amount}(?:-|–|—|\\.\\.|to)${amount}$`);
const atLeast = new RegExp(`^[>≥]=?${amount}$`);
const atMost = new RegExp(`^[<≤]=?${amount}$`);

const units = (text: string) => parseAmount(text, 'USD');

/**
 * Parses "12.50" as an exact amount, "10-20" as an inclusive range, and ">10" and "<20" as one inclusive bound.
 * Ignores signs, currencies and thousands separators: a reversal is found with or without its minus.
 */
export function readAmountRange(text: string): AmountRange | undefined {
  const plain = text.toLowerCase().replaceAll(/[,\s]|usd|gmp/g, '');
  const [, only] = exact.exec(plain) ?? [];
  if (only !== undefined) return { minAmount: only, maxAmount: only };
  const [, one, other] = between.exec(plain) ?? [];
  if (one !== undefined && other !== undefined) {
    return units(one) <= units(other) ? { minAmount: one, maxAmount: other } : { minAmount: other, maxAmount: one };
  }
  const [, least] = atLeast.exec(plain) ?? [];
  if (least !== undefined) return { minAmount: least };
  const [, most] = atMost.exec(plain) ?? [];
  return most === undefined ? undefined : { maxAmount: most };
}
