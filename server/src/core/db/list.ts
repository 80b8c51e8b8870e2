import { countedAtMost } from 'contract/core/paging.ts';
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { runQuery, type Db, prepared } from './db.ts';
import { beyond, cutPage, type Order, type Placed, readPlace } from './keyset.ts';

type Condition = RawBuilder<boolean>;

/**
 * A search word, written twice. A trigram index finds the rows of a rare word, but is slower than scanning the list
 * until the page is full when the word is common; and the planner cannot know. So each way has a form of the
 * condition that only it can use.
 */
type SearchFilter = {
  /** Served by the trigram index. Without it the list is short enough to be scanned to its end. */
  indexLookup?: Condition;
  /** Served by no index, such as strpos(). */
  scan: Condition;
};

/** One list. Its rows are called `item` in every part. */
export type List = {
  /** The table, or a short cut of it. */
  rows: RawBuilder<unknown>;
  /**
   * What is answered for each item, under the names of the contract, and the joins that it takes: only the rows of
   * the page are joined.
   */
  columns: RawBuilder<unknown>;
  joins?: RawBuilder<unknown>;
  order: Order;
  /** What an index of this order serves, such as a status. */
  where: Condition[];
  searchFilter?: SearchFilter | undefined;
  /** From a counter: how many rows `where` lets through. */
  countAll: () => Promise<number>;
  cursor: string | undefined;
  limit: number;
};

type Total = { count: number; capped: boolean };
type Page<R> = Omit<ReturnType<typeof cutPage>, 'rows'> & { rows: R[] };
type ListPage<R> = Page<R> & { total: Total };

const tooMany: Total = { count: countedAtMost, capped: true };

/** A page of a list, and how many rows there are. It costs the same at any size. */
export async function listPage<R>(db: Db, list: List): Promise<ListPage<R>> {
  const listed = await pageAt<R>(db, list);
  // All that stood beyond the cursor may have gone since: whoever stands there is led back to what there is.
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
 * A common word is met on the way through the list, a rare one is looked up; each would be slow the other way. While the
 * way is tried the matches are counted, so that a word in between costs no more than the longer of the two.
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
  return (await areSurelyTooMany(db, list, indexLookup))
    ? { total: tooMany, few: null }
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

/** Written out: a plan that is kept must know that few rows are wanted. */
const rowsOf = (count: number) => sql.lit(count);

/** The sizes of page that the panel asks for. Others are not prepared: each would be one more plan that is kept. */
const usualLimits: readonly number[] = [1, 10, 25];

const isOften = ({ searchFilter, limit }: List) => !searchFilter && usualLimits.includes(limit);

type Position = ReturnType<typeof positionOf>;

/** Joins what the page needs to its rows, and to no other. */
async function read<R>(db: Db, list: List, { page, inOrder, place }: Position & { page: RawBuilder<unknown> }) {
  const rows = await runQuery<R & Placed>(
    db,
    sql`${isOften(list) ? prepared : sql``}
      select item.id, item.place_value as "placeValue", ${list.columns}
      from (${page}) as item ${list.joins ?? sql``} order by ${inOrder}`,
  );
  const isFull = rows.length > list.limit;
  return { isFull, page: cutPage(rows, { order: list.order, place, limit: list.limit }) as Page<R> };
}

/** A short scan along the index of the order. */
async function scannedPage<R>(db: Db, list: List, filter: Condition = sql`true`): Promise<Page<R>> {
  const standing = positionOf(list);
  const { past, inOrder, value } = standing;
  const page = sql`
    select item.*, ${value} as place_value from ${list.rows} as item
    where ${all([past, ...list.where, filter])} order by ${inOrder} limit ${rowsOf(list.limit + 1)}`;
  return (await read<R>(db, list, { page, ...standing })).page;
}

/** So many rows of the list are read for each row of the page before another way is taken. */
const nearby = 100;

/** The page, if a word is so common that the next rows of the list fill it. */
async function nearbyPage<R>(db: Db, list: List, scan: Condition): Promise<Page<R> | undefined> {
  const standing = positionOf(list);
  const { past, inOrder, value } = standing;
  const page = sql`
    select item.*, ${value} as place_value
    from (
      select item.* from ${list.rows} as item
      where ${all([past, ...list.where])} order by ${inOrder} limit ${nearby * list.limit}
    ) as item
    where ${scan} order by ${inOrder} limit ${list.limit + 1}`;
  const found = await read<R>(db, list, { page, ...standing });
  return found.isFull ? found.page : undefined;
}

/** All matches are looked up, and only they are sorted. */
async function indexedPage<R>(db: Db, list: List, indexLookup: Condition): Promise<Page<R>> {
  const standing = positionOf(list);
  const { past, inOrder, value } = standing;
  const page = sql`
    with candidate as materialized (
      select item.id, ${sql.ref(`item.${list.order.column}`)} from ${list.rows} as item
      where ${all([...list.where, indexLookup])}
    )
    select item.*, ${value} as place_value
    from ${list.rows} as item
    where item.id in (select id from candidate as item where ${past} order by ${inOrder} limit ${list.limit + 1})`;
  return (await read<R>(db, list, { page, ...standing })).page;
}

/** So many ids are brought along by the count: to look the same rows up again would cost as much as to find them. */
const fewAtMost = 1_000;
type Counted = { total: Total; few: string[] | null };

/** One past the limit says that there are more: reading on would cost more than anyone learns from it. */
async function countMatches(db: Db, list: List, condition: Condition): Promise<Counted> {
  const { rows } = await sql<{ count: bigint; few: string[] | null }>`
    select count(*), case when count(*) <= ${fewAtMost} then coalesce(array_agg(candidate.id), '{}') end as few from (
      select item.id from ${list.rows} as item where ${all([...list.where, condition])} limit ${countedAtMost + 1}
    ) as candidate`.execute(db);
  const count = Number(rows[0]?.count ?? 0n);
  return { total: count > countedAtMost ? tooMany : { count, capped: false }, few: rows[0]?.few ?? null };
}

/** The planner knows from a sample: a word must be in many of its rows, and be expected well past the limit. */
const beyondDoubt = { share: 0.01, times: 1.5 };

/** The one row of EXPLAIN (FORMAT JSON): the root node of the plan has the estimate for the whole statement. */
const ExplainedPlan = z.object({
  'QUERY PLAN': z.tuple([z.object({ Plan: z.object({ 'Plan Rows': z.number() }) })]),
});

/** More than are ever counted, without reading them: to find one past the limit takes tens of thousands of rows. */
export async function areSurelyTooMany(db: Db, list: List, indexLookup: Condition) {
  const enough = beyondDoubt.times * countedAtMost;
  const inAll = await list.countAll();
  if (inAll < enough) return false;
  const [plan] = await runQuery(
    db,
    sql`explain (format json) select from ${list.rows} as item where ${all([...list.where, indexLookup])}`,
  );
  const estimated = ExplainedPlan.parse(plan)['QUERY PLAN'][0].Plan['Plan Rows'];
  return estimated >= Math.max(enough, beyondDoubt.share * inAll);
}

/** `createdAt` or `-createdAt` as the order it stands for; the feature says which column that is, and of which type. */
export function orderOf<K extends string>(
  sort: K | `-${K}`,
  columns: Record<K, { column: string; type: string }>,
): Order {
  const { column, type } = columns[sort.replace(/^-/, '') as K];
  return { sort, column, type, descending: sort.startsWith('-') };
}

/** For `like`, in which some characters mean others. */
export function partOf(word: string) {
  return sql<string>`'%' || lower(${word.replaceAll(/[\\%_]/g, '\\$&')}) || '%'`;
}
