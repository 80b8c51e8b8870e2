import { z } from 'zod';
import { rule } from './field-errors.ts';

const rowsOnWire = z.string().regex(/^\d{1,3}$/, rule('must be a whole number from 1 to 100'));

/** The parameters of every list: where to continue, and the number of rows. */
export const pageQuery = {
  // A cursor contains a full sort value. The longest, 200 non-Latin characters, takes 1,700 when encoded.
  cursor: z.string().max(2_000).optional(),
  limit: z.codec(rowsOnWire, z.int().min(1).max(100), { decode: Number, encode: String }).optional(),
};

export const rowsByDefault = 25;

/** The number at which counting stops. Longer lists show "10,000+" instead of reading every row. */
export const countedAtMost = 10_000;

/** The fields that every list returns with its rows. A cursor is null if there are no more rows in that direction. */
export const pageAnswer = {
  nextCursor: z.string().nullable(),
  previousCursor: z.string().nullable(),
  total: z.object({ count: z.int(), capped: z.boolean() }),
  /** The position of the first of these rows in the whole list, counted from 1. */
  firstRow: z.int(),
};

export type Page = z.output<z.ZodObject<typeof pageAnswer>>;

/** The trigram index needs three letters or digits in a row. Without them a search would scan the table. */
export const Search = z
  .string()
  .trim()
  .max(100)
  .regex(/[\p{L}\p{N}]{3}/u, rule('must have three letters or digits in a row'));

/** The refusal of a cursor that no list returned. */
export const badCursor = { InvalidCursor: 'This link points to a page that no longer exists.' } as const;
