import { countedAtMost } from 'contract/core/paging.ts';
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { runQuery, type Db, prepared } from './db.ts';
import { beyond, cutPage, type Order, type Placed, readPlace } from './keyset.ts';

type Condition = RawBuilder<boolean>;

/**
 * A search condition in two forms. The trigram index is fast for a rare word, and scanning the list until the page is
 * full is fast for a common one. The planner cannot tell them apart, so each strategy has a form that only it can use.
 */
type SearchFilter = {
  /** Uses the trigram index. Omitted for a list that is short enough to be scanned completely. */
  indexLookup?: Condition;
  /** Uses no index, for example strpos(). */
  scan: Condition;
};

/** A list. The alias of its rows is `item` in every part. */
export type List = {
  /** The table, or a subquery with few rows of it. */
  rows: RawBuilder<unknown>;
  /**
   * The columns returned for each item, with the names of the contract, and the joins that they need. Only the rows of
   * the page are joined.
   */
  columns: RawBuilder<unknown>;
  joins?: RawBuilder<unknown>;
  order: Order;
  /** Conditions that an index of this order supports, such as a status. */
  where: Condition[];
  searchFilter?: SearchFilter | undefined;
  /** Returns the number of rows that match `where`, from a counter. */
  countAll: () => Promise<number>;
  cursor: string | undefined;
  limit: number;
};

type Total = { count: number; capped: boolean };
type Page<R> = Omit<ReturnType<typeof cutPage>, 'rows'> & { rows: R[] };
type ListPage<R> = Page<R> & { total: Total };

const cappedTotal: Total = { count: countedAtMost, capped: true };

/** Returns a page of a list and the total number of rows, at a cost that does not grow with the list. */
export async function listPage<R>(db: Db, list: List): Promise<ListPage<R>> {
  const listed = await pageAt<R>(db, list);
  // All rows beyond the cursor may have been removed since: return the first page instead of an empty one.
  const stranded = listed.rows.length === 0 && list.cursor !== undefined;
  return stranded ? pageAt(db, { ...list, cursor: undefined }) : listed;
}

async function pageAt<R>(db: Db, list: List): Promise<ListPage<R>> {
  const { searchFilter } = list;
  if (!searchFilter) {
    const total = { count: await list.countAll(), capped: false };
    return { ...(await scannedPage<R>(db, list)), total };
  }
  return searchFilter.indexLookup
    ? foundPage(db, list, { scan: searchFilter.scan, indexLookup: searchFilter.indexLookup })
    : shortPage(db, list, searchFilter);
}

/**
 * A short scan finds the matches of a common word, and the index those of a rare one. The scan and the count of matches
 * run concurrently, so that a word in between costs no more than the slower of the two.
 */
async function foundPage<R>(db: Db, list: List, { scan, indexLookup }: Required<SearchFilter>): Promise<ListPage<R>> {
  const [near, { total, few }] = await Promise.all([
    nearbyPage<R>(db, list, scan),
    filteredTotal(db, list, indexLookup),
  ]);
  if (near) return { ...near, total };
  if (total.capped) return { ...(await scannedPage<R>(db, list, scan)), total };
  const found = few ? sql<boolean>`item.id = any(${few}::uuid[])` : indexLookup;
  return { ...(await indexedPage<R>(db, list, found)), total };
}

async function filteredTotal(db: Db, list: List, indexLookup: Condition): Promise<Counted> {
  return (await areCertainlyTooMany(db, list, indexLookup))
    ? { total: cappedTotal, few: null }
    : countMatches(db, list, indexLookup);
}

async function shortPage<R>(db: Db, list: List, { scan }: SearchFilter): Promise<ListPage<R>> {
  const { total } = await countMatches(db, list, scan);
  return { ...(await scannedPage<R>(db, list, scan)), total };
}

function positionOf({ order, cursor }: List) {
  const place = readPlace(cursor, order);
  const { where: past, order: inOrder, value } = beyond(order, place);
  return { place, past, inOrder, value };
}

const all = (conditions: Condition[]) => sql<boolean>`${sql.join(conditions, sql` and `)}`;

/** A literal and not a parameter, so that a cached plan knows that few rows are needed. */
const rowsOf = (count: number) => sql.lit(count);

/** The page sizes that the panel uses. Other sizes are not prepared, because each would be one more cached plan. */
const usualLimits: readonly number[] = [1, 10, 25];

const isFrequent = ({ searchFilter, limit }: List) => !searchFilter && usualLimits.includes(limit);

type Position = ReturnType<typeof positionOf>;

/** Runs the query of a page and joins the other columns to the rows of the page only. */
async function read<R>(db: Db, list: List, { page, inOrder, place }: Position & { page: RawBuilder<unknown> }) {
  const rows = await runQuery<R & Placed>(
    db,
    sql`${isFrequent(list) ? prepared : sql``}
      select item.id, item.place_value as "placeValue", ${list.columns}
      from (${page}) as item ${list.joins ?? sql``} order by ${inOrder}`,
  );
  const isFull = rows.length > list.limit;
  return { isFull, page: cutPage(rows, { order: list.order, place, limit: list.limit }) as Page<R> };
}

/** Reads the page with a scan of the index of the order. */
async function scannedPage<R>(db: Db, list: List, filter: Condition = sql`true`): Promise<Page<R>> {
  const position = positionOf(list);
  const { past, inOrder, value } = position;
  const page = sql`
    select item.*, ${value} as place_value from ${list.rows} as item
    where ${all([past, ...list.where, filter])} order by ${inOrder} limit ${rowsOf(list.limit + 1)}`;
  return (await read<R>(db, list, { page, ...position })).page;
}

/** The number of rows that a short scan reads for each row of the page. */
const nearby = 100;

/** Returns the page if the word is so common that a short scan fills it, otherwise undefined. */
async function nearbyPage<R>(db: Db, list: List, scan: Condition): Promise<Page<R> | undefined> {
  const position = positionOf(list);
  const { past, inOrder, value } = position;
  const page = sql`
    select item.*, ${value} as place_value
    from (
      select item.* from ${list.rows} as item
      where ${all([past, ...list.where])} order by ${inOrder} limit ${nearby * list.limit}
    ) as item
    where ${scan} order by ${inOrder} limit ${list.limit + 1}`;
  const found = await read<R>(db, list, { page, ...position });
  return found.isFull ? found.page : undefined;
}

/** Looks up all matches with the index and sorts only those. */
async function indexedPage<R>(db: Db, list: List, indexLookup: Condition): Promise<Page<R>> {
  const position = positionOf(list);
  const { past, inOrder, value } = position;
  const page = sql`
    with candidate as materialized (
      select item.id, ${sql.ref(`item.${list.order.column}`)} from ${list.rows} as item
      where ${all([...list.where, indexLookup])}
    )
    select item.*, ${value} as place_value
    from ${list.rows} as item
    where item.id in (select id from candidate as item where ${past} order by ${inOrder} limit ${list.limit + 1})`;
  return (await read<R>(db, list, { page, ...position })).page;
}

/** Up to this many matches, the count returns their ids, because a second lookup would cost as much as the first. */
const fewAtMost = 1_000;
type Counted = { total: Total; few: string[] | null };

/** Counts the matches and stops one past the limit, because an exact larger number is not worth its cost. */
async function countMatches(db: Db, list: List, condition: Condition): Promise<Counted> {
  const { rows } = await sql<{ count: bigint; few: string[] | null }>`
    select count(*), case when count(*) <= ${fewAtMost} then coalesce(array_agg(candidate.id), '{}') end as few from (
      select item.id from ${list.rows} as item where ${all([...list.where, condition])} limit ${countedAtMost + 1}
    ) as candidate`.execute(db);
  const count = Number(rows[0]?.count ?? 0n);
  return { total: count > countedAtMost ? cappedTotal : { count, capped: false }, few: rows[0]?.few ?? null };
}

/** The planner estimates from a sample. It is trusted from this share of all rows and this multiple of the limit on. */
const estimateThreshold = { share: 0.01, times: 1.5 };

/** The one row of EXPLAIN (FORMAT JSON): the root node of the plan has the estimate for the whole statement. */
const ExplainedPlan = z.object({
  'QUERY PLAN': z.tuple([z.object({ Plan: z.object({ 'Plan Rows': z.number() }) })]),
});

/** Whether the planner expects more matches than are ever counted. Counting would read tens of thousands of rows. */
export async function areCertainlyTooMany(db: Db, list: List, indexLookup: Condition) {
  const enough = estimateThreshold.times * countedAtMost;
  const allRows = await list.countAll();
  if (allRows < enough) return false;
  const [plan] = await runQuery(
    db,
    sql`explain (format json) select from ${list.rows} as item where ${all([...list.where, indexLookup])}`,
  );
  const estimated = ExplainedPlan.parse(plan)['QUERY PLAN'][0].Plan['Plan Rows'];
  return estimated >= Math.max(enough, estimateThreshold.share * allRows);
}

/** Converts `createdAt` or `-createdAt` to an order. The feature defines the column and its type. */
export function orderOf<K extends string>(
  sort: K | `-${K}`,
  columns: Record<K, { column: string; type: string }>,
): Order {
  const { column, type } = columns[sort.replace(/^-/, '') as K];
  return { sort, column, type, descending: sort.startsWith('-') };
}

/** Returns a `like` pattern that matches the word anywhere, with its wildcards escaped. */
export function partOf(word: string) {
  return sql<string>`'%' || lower(${word.replaceAll(/[\\%_]/g, '\\$&')}) || '%'`;
}
