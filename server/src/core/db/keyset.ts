import { sql } from 'kysely';
import { z } from 'zod';
import { Refusal } from '#server/core/refusal.ts';

/** A place in an ordered list: the sort values of the row it stands at, and which way to go from there. */
const Place = z.strictObject({
  sort: z.string(),
  way: z.enum(['next', 'previous']),
  at: z.array(z.string()).length(2),
  /** The number in the whole list of the first row that way. Only ever shown: nothing is decided by it. */
  row: z.int().min(1),
});
export type Place = z.output<typeof Place>;

/**
 * One way to order a list: a column with its type in PostgreSQL, then the id. An index must match it.
 * The rows that are listed are called `item`.
 */
export type Order = { sort: string; column: string; type: string; descending: boolean; id?: 'uuid' | 'bigint' };

const ids = { uuid: z.uuid(), bigint: z.string().regex(/^\d{1,18}$/) };

export function readPlace(cursor: string | undefined, { sort, id = 'uuid' }: Order): Place | undefined {
  if (cursor === undefined) return undefined;
  try {
    const place = Place.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    ids[id].parse(place.at[1]);
    if (place.sort === sort) return place;
  } catch {
    // Whatever is wrong with it, it is not one of ours.
  }
  throw new Refusal('InvalidCursor');
}

const writePlace = (place: Place) => Buffer.from(JSON.stringify(place)).toString('base64url');

/** The rows beyond the place, in the order in which they must be read to scan the index once. */
export function beyond({ column, type, descending, id: idType = 'uuid' }: Order, place: Place | undefined) {
  const backwards = place?.way === 'previous';
  const direction = sql.raw(descending === backwards ? 'asc' : 'desc');
  const comparison = sql.raw(descending === backwards ? '>' : '<');
  const [value, id] = place?.at ?? [];
  const listed = sql.ref(`item.${column}`);
  return {
    where: place
      ? sql<boolean>`(${listed}, item.id) ${comparison} (${value}::${sql.raw(type)}, ${id}::${sql.raw(idType)})`
      : sql<boolean>`true`,
    order: sql`${listed} ${direction}, item.id ${direction}`,
    /** Exact to the microsecond, which a Date is not. */
    value: sql<string>`${listed}::text`,
  };
}

export type Placed = { id: string | bigint; placeValue: string };

/** One row more than wanted was read: it says whether there is a further page that way. */
export function cutPage<R extends Placed>(
  rows: R[],
  { order, place, limit }: { order: Order; place: Place | undefined; limit: number },
) {
  const backwards = place?.way === 'previous';
  const further = rows.length > limit;
  const kept = rows.slice(0, limit);
  if (backwards) kept.reverse();
  const firstRow = firstRowOf(place, { further, rows: kept.length });
  const cursorAt = (it: R | undefined, way: Place['way'], row: number) =>
    it ? writePlace({ sort: order.sort, way, at: [it.placeValue, String(it.id)], row: Math.max(1, row) }) : null;
  return {
    rows: kept,
    firstRow,
    nextCursor: further || backwards ? cursorAt(kept.at(-1), 'next', firstRow + kept.length) : null,
    previousCursor: (backwards ? further : place !== undefined) ? cursorAt(kept[0], 'previous', firstRow - 1) : null,
  };
}

/** Rows come and go between two looks; but before the first page there is nothing. */
function firstRowOf(place: Place | undefined, { further, rows }: { further: boolean; rows: number }) {
  if (!place) return 1;
  if (place.way === 'next') return place.row;
  return further ? Math.max(1, place.row - rows + 1) : 1;
}
