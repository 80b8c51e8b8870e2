import { sql } from 'kysely';
import { z } from 'zod';
import { Refusal } from '#server/core/refusal.ts';

/** A position in an ordered list: the sort values of a row, and the direction in which to read from it. */
const Place = z.strictObject({
  sort: z.string(),
  way: z.enum(['next', 'previous']),
  at: z.array(z.string()).length(2),
  /** The number of the first row in that direction within the whole list. It is only displayed. */
  row: z.int().min(1),
});
export type Place = z.output<typeof Place>;

/**
 * A sort order: a column with its PostgreSQL type, then the id. An index must match it. The alias of the listed rows is
 * `item`.
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
    // A cursor that cannot be parsed was not issued by this server.
  }
  throw new Refusal('InvalidCursor');
}

const writePlace = (place: Place) => Buffer.from(JSON.stringify(place)).toString('base64url');

/** Returns the SQL for the rows beyond the place, in the order that scans the index once. */
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
    /** Text keeps the microseconds, which a Date does not. */
    value: sql<string>`${listed}::text`,
  };
}

export type Placed = { id: string | bigint; placeValue: string };

/** Cuts the rows to one page. It assumes that one row more than `limit` was read, to know if another page follows. */
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

/** Rows can be added or removed between two requests, so the number is approximate, except on the first page. */
function firstRowOf(place: Place | undefined, { further, rows }: { further: boolean; rows: number }) {
  if (!place) return 1;
  if (place.way === 'next') return place.row;
  return further ? Math.max(1, place.row - rows + 1) : 1;
}
