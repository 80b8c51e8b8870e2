import { sql } from 'kysely';
import { z } from 'zod';
import { Refusal } from '#server/http/refusal.ts';

/** A place in an ordered list: the sort values of the row it stands at, and which way to go from there. */
const Place = z.strictObject({
  sort: z.string(),
  way: z.enum(['next', 'previous']),
  at: z.array(z.string()).length(2),
});
type Place = z.output<typeof Place>;

/** One way to order a list: a column with its type in PostgreSQL, then the id. An index must match it. */
export type Order = { sort: string; column: string; type: string; descending: boolean };

export function readPlace(cursor: string | undefined, { sort }: Order): Place | undefined {
  if (cursor === undefined) return undefined;
  try {
    const place = Place.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    z.uuid().parse(place.at[1]);
    if (place.sort === sort) return place;
  } catch {
    // Whatever is wrong with it, it is not one of ours.
  }
  throw new Refusal('InvalidCursor');
}

const writePlace = (place: Place) => Buffer.from(JSON.stringify(place)).toString('base64url');

/** The rows beyond the place, in the order in which they must be read to walk the index once. */
export function beyond({ column, type, descending }: Order, place: Place | undefined) {
  const backwards = place?.way === 'previous';
  const direction = sql.raw(descending === backwards ? 'asc' : 'desc');
  const comparison = sql.raw(descending === backwards ? '>' : '<');
  const [value, id] = place?.at ?? [];
  const key = sql`(${sql.ref(column)}, id)`;
  return {
    where: place ? sql<boolean>`${key} ${comparison} (${value}::${sql.raw(type)}, ${id}::uuid)` : sql<boolean>`true`,
    order: sql`${sql.ref(column)} ${direction}, id ${direction}`,
    /** Exact to the microsecond, which a Date is not. */
    value: sql<string>`${sql.ref(column)}::text`,
  };
}

type Placed = { id: string; placeValue: string };

/** One row more than wanted was read: it says whether there is a further page that way. */
export function cutPage<R extends Placed>(
  rows: R[],
  { order, place, limit }: { order: Order; place: Place | undefined; limit: number },
) {
  const backwards = place?.way === 'previous';
  const further = rows.length > limit;
  const kept = rows.slice(0, limit);
  if (backwards) kept.reverse();
  const cursorAt = (row: R | undefined, way: Place['way']) =>
    row ? writePlace({ sort: order.sort, way, at: [row.placeValue, row.id] }) : null;
  return {
    rows: kept,
    nextCursor: further || backwards ? cursorAt(kept.at(-1), 'next') : null,
    previousCursor: (backwards ? further : place !== undefined) ? cursorAt(kept[0], 'previous') : null,
  };
}
