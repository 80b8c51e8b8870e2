import { z } from 'zod';
import { rule } from './field-errors.ts';

const rowsOnWire = z.string().regex(/^\d{1,3}$/, rule('must be a whole number from 1 to 100'));

/** Every list takes these: where to go on from, and how many rows. */
export const pageQuery = {
  // Holds a sort value whole: the longest, 200 characters in an unlucky script, takes 1,700 when written out.
  cursor: z.string().max(2_000).optional(),
  limit: z.codec(rowsOnWire, z.int().min(1).max(100), { decode: Number, encode: String }).optional(),
};

export const rowsByDefault = 25;

/** Counting stops here: past it a list says "10,000+" instead of reading every row. */
export const countedAtMost = 10_000;

/** Every list answers these beside its rows. A cursor is null where there is nothing further that way. */
export const pageAnswer = {
  nextCursor: z.string().nullable(),
  previousCursor: z.string().nullable(),
  total: z.object({ count: z.int(), capped: z.boolean() }),
  /** The place of the first of these rows in the whole list, counted from 1. */
  firstRow: z.int(),
};

/** What is told of a page beside its rows. */
export type Page = z.output<z.ZodObject<typeof pageAnswer>>;

/** The trigram index finds by three letters or digits in a row; without them it would read everything. */
export const Search = z
  .string()
  .trim()
  .max(100)
  .regex(/[\p{L}\p{N}]{3}/u, rule('must have three letters or digits in a row'));

/** The one cursor that no list wrote itself. */
export const badCursor = { InvalidCursor: 'This link points to a page that no longer exists.' } as const;
