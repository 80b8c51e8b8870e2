import { parseAmount } from 'contract/core/money.ts';

export type AmountRange = { minAmount?: string; maxAmount?: string };

const amount = String.raw`[-−]?\$?(\d{1,12}(?:\.\d{1,6})?)`;
const exact = new RegExp(`^${amount}$`);
const between = new RegExp(`^${amount}(?:-|–|—|\\.\\.|to)${amount}$`);
const atLeast = new RegExp(`^[>≥]=?${amount}$`);
const atMost = new RegExp(`^[<≤]=?${amount}$`);

const units = (text: string) => parseAmount(text, 'USD');

/**
 * "12.50" is exactly that, "10-20" a range with both its ends, ">10" and "<20" are open to one side. Signs, currency and
 * thousands are as people write them: the amounts of a reversal are found with or without their minus.
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
