import type { TransferKind } from 'contract/ledger.ts';
import { countedAtMost } from 'contract/core/paging.ts';
import { RunKind } from 'contract/run-kinds.ts';
import type { LineSort, SkipReason } from 'contract/runs-lines.ts';
import { type RawBuilder, sql } from 'kysely';
import { runQuery, type Db } from '#server/core/db/db.ts';
import { beyond, type Order, readPlace } from '#server/core/db/keyset.ts';
import { type List, listPage, orderOf, partOf } from '#server/core/db/list.ts';
import { kinds } from '../kinds/kinds.ts';
import { linePaid, lineReversed } from '../store/outcome-queries.ts';

export type LineRow = {
  userUuid: string;
  userNumber: string;
  username: string;
  retired: boolean;
  stakeId: string | null;
  endsOn: string | null;
  cause: string;
  /** The part of its transfers, except for a move with a part of its own. */
  part: number;
  input: bigint;
  rate: number;
  ranked: boolean;
  base: bigint;
  bonus: bigint;
  loyalty: bigint;
  closing: bigint;
  completes: boolean;
  skip: SkipReason | null;
  /** Whether the plan pays the line. Then `skip` is what became of its user before the payment. */
  planned: boolean;
  paid: boolean;
  reversed: boolean;
};

export const lineFields = sql`
  item.user_id as "userUuid", platform_user.user_id as "userNumber", platform_user.username, platform_user.retired_at is not null as retired,
  stake.stake_id as "stakeId", stake.ends_on::text as "endsOn", item.cause_id as cause, item.part, item.input, item.rate_ppm as rate, item.ranked, item.base,
  item.bonus, item.loyalty, item.closing, item.completes,
  coalesce(item.skip, (
    select dropped.skip from run_line_dropped as dropped
    where dropped.run_id = item.run_id and dropped.user_id = item.user_id and dropped.cause_id = item.cause_id
  )) as skip, item.skip is null as planned, ${linePaid} as paid, ${lineReversed} as reversed`;

/** The stake is null for kinds of run that pay for a user and not for a stake. */
export const lineJoins = sql`
  join platform_user on platform_user.id = item.user_id
  left join stake on stake.id = item.cause_id`;

const largestShown = 5;

/** Returns the largest lines. They are in the chunks with the largest maxima, so only those chunks are read. */
export function selectLargest(db: Db, { id, day }: { id: string; day: string }) {
  return runQuery<LineRow>(
    db,
    sql`
    with chunk as (
      select after_user, to_user from run_chunk where run_id = ${id}::uuid
      order by largest desc, no limit ${largestShown}
    )
    select ${lineFields} from chunk
    join run_line as item on item.run_id = ${id}::uuid and item.day = ${day}::date
      and item.user_id > chunk.after_user and item.user_id <= chunk.to_user
    ${lineJoins}
    where item.skip is null
    order by item.base + item.bonus + item.closing desc, item.user_id, item.cause_id limit ${largestShown}`,
  );
}

/** A search that matches more users is refused, because its cost would grow with the number of users. */
const usersAtMost = 1_000;

/** Returns the users that match a search, or undefined if there are too many. */
export async function selectUsersFound(db: Db, search: string) {
  const found = await runQuery<{ id: string }>(
    db,
    sql`select platform_user.id from platform_user where platform_user.search_text like ${partOf(search)}
      limit ${usersAtMost + 1}`,
  );
  return found.length > usersAtMost ? undefined : found.map(({ id }) => id);
}

export type AmountRange = { min?: bigint | undefined; max?: bigint | undefined };

type LineQuery = {
  run: { id: string; day: string; lines: bigint };
  /** Undefined means all users. */
  users?: readonly string[] | undefined;
  range?: AmountRange | undefined;
  skip?: SkipReason | undefined;
  sort: LineSort;
  cursor?: string | undefined;
  limit: number;
};

/** Users are sorted by the key of the plan, which is the order in which they joined. */
const orders = {
  user: { column: 'user_id', type: 'uuid' },
  amount: { column: 'amount', type: 'bigint' },
};

const amountOf = sql`(line.base + line.bonus + line.closing)`;

const linesOf = ({ id, day }: LineQuery['run'], conditions: readonly RawBuilder<unknown>[]) => sql`(
  select line.*, line.cause_id as id, ${amountOf} as amount from run_line as line
  where ${sql.join([sql`line.run_id = ${id}::uuid and line.day = ${day}::date`, ...conditions], sql` and `)}
)`;

/**
 * Whether a line belongs to one of the users. The row of user and cause is compared as well, because PostgreSQL 18
 * otherwise expects to skip through all causes in the key of the lines, and reads the whole run instead.
 */
export function isOfUsers(users: readonly string[]) {
  const [first] = users.map((user) => user.toLowerCase()).toSorted();
  const isOne = sql<boolean>`line.user_id = any(${users}::uuid[])`;
  return first === undefined
    ? isOne
    : sql<boolean>`${isOne} and (line.user_id, line.cause_id) > (${first}::uuid, ${noCause})`;
}

/** Less than every cause. */
export const noCause = sql`'00000000-0000-0000-0000-000000000000'::uuid`;

function conditionsOf({ users, range: { min, max } = {}, skip }: LineQuery) {
  const ofUsers = users === undefined ? [] : [isOfUsers(users)];
  if (skip !== undefined) {
    // A skipped line pays 0, so amounts are not compared in SQL.
    const matches = (min ?? 0n) <= 0n;
    return [...ofUsers, sql`line.skip = ${sql.lit(skip)} and ${sql.lit(matches)}`];
  }
  return [
    ...ofUsers,
    ...(min === undefined ? [] : [sql`${amountOf} >= ${min}::bigint`]),
    ...(max === undefined ? [] : [sql`${amountOf} <= ${max}::bigint`]),
  ];
}

/**
 * Returns a page of lines, fast for a plan of any size. Without a filter, the order by user scans an index, and the
 * order by amount merges the chunks, each of which is indexed by amount. A filter on users or amounts looks up the
 * matching lines and sorts them. If more amounts match than are counted, a scan in the requested order
 * fills the page soon.
 */
export async function selectLines(db: Db, query: LineQuery): Promise<Awaited<ReturnType<typeof listPage<LineRow>>>> {
  const { run, users, range, skip, sort, cursor, limit } = query;
  // All skipped lines have the amount 0, so the order by user is also one by amount, and it has an index.
  const order = orderOf(skip === undefined ? sort : 'user', orders);
  const list = { columns: lineFields, joins: lineJoins, order, where: [], cursor, limit };
  const isByAmount = order.column === 'amount';
  if (users === undefined && range === undefined) {
    const rows = isByAmount ? linesByAmount(query, order) : linesOf(run, []);
    const searchFilter = skip && { scan: sql<boolean>`item.skip = ${sql.lit(skip)}` };
    return orFirstPage(db, query, { ...list, rows, searchFilter, countAll: async () => Number(run.lines) });
  }
  const found = users === undefined && skip === undefined ? linesOfAmount(query) : linesOf(run, conditionsOf(query));
  const count = await countUpTo(db, found);
  const total = { count: Math.min(count, countedAtMost), capped: count > countedAtMost };
  const countAll = async () => total.count;
  // The offset keeps the planner from scanning the whole order for these rows instead of looking them up.
  if (users !== undefined || !total.capped) {
    return {
      ...(await listPage<LineRow>(db, { ...list, rows: sql`(select * from ${found} as line offset 0)`, countAll })),
      total,
    };
  }
  const rows = isByAmount ? linesByAmount(query, order) : linesOf(run, conditionsOf(query));
  return { ...(await orFirstPage(db, query, { ...list, rows, countAll })), total };
}

/** Returns the first page if nothing is beyond the cursor. Lines by amount already start at the cursor. */
async function orFirstPage(db: Db, query: LineQuery, list: List) {
  const page = await listPage<LineRow>(db, list);
  return page.rows.length === 0 && query.cursor !== undefined ? selectLines(db, { ...query, cursor: undefined }) : page;
}

const chunksOf = ({ id }: LineQuery['run']) => sql`(
  select 0 as no union all select no from run_chunk where run_id = ${id}::uuid)`;

/** The lines of `chunk`. An index has the lines of a chunk in order of their amounts. */
const linesOfChunk = (query: LineQuery) => linesOf(query.run, [sql`line.chunk = chunk.no`, ...conditionsOf(query)]);

/** All lines in a range of amounts, limited in each chunk to one more than are counted. */
const linesOfAmount = (query: LineQuery) => sql`(
  select line.* from ${chunksOf(query.run)} as chunk cross join lateral (
    select * from ${linesOfChunk(query)} as line order by amount, id limit ${countedAtMost + 1}
  ) as line)`;

/**
 * Selects the next lines by amount. It reads the next line of every chunk to find the chunks that can contribute to the
 * page, and then one page of each of those.
 */
function linesByAmount(query: LineQuery, order: Order) {
  const { where: past, order: inOrder } = beyond(order, readPlace(query.cursor, order));
  const rows = sql.lit(query.limit + 1);
  const next = (limit: RawBuilder<unknown>) => sql`(
    select item.* from ${linesOfChunk(query)} as item where ${past} order by ${inOrder} limit ${limit})`;
  return sql`(
    select line.* from (
      select chunk.no from ${chunksOf(query.run)} as chunk cross join lateral ${next(sql.lit(1))} as item
      order by ${inOrder} limit ${rows}
    ) as chunk cross join lateral ${next(rows)} as line)`;
}

/** Counts up to one row more than the limit, which means that there are more. */
async function countUpTo(db: Db, rows: RawBuilder<unknown>) {
  const [counted] = await runQuery<{ count: bigint }>(
    db,
    sql`select count(*) from (select from ${rows} as line limit ${countedAtMost + 1}) as counted`,
  );
  return Number(counted?.count ?? 0n);
}

type TransferKey = {
  day: string;
  kind: TransferKind;
  cause: string;
  part: number;
  userId: string | null;
  isReversal: boolean;
};

/** Returns the line of a transfer. Loyalty that the platform set aside belongs to the line of the stake's owner. */
export async function selectLineOf(db: Db, { day, kind, cause, part, userId, isReversal }: TransferKey) {
  const posted = postedBy(kind);
  if (!posted) return undefined;
  const byPart = posted.move.part === undefined ? sql`and item.part = ${part}` : sql``;
  const owner = userId === null ? sql`(select user_id from stake where id = ${cause}::uuid)` : sql`${userId}::uuid`;
  const [line] = await runQuery<LineRow & { runId: string }>(
    db,
    sql`
    select item.run_id as "runId", ${lineFields}
    from run join run_line as item on item.run_id = run.id and item.day = run.day and item.user_id = ${owner}
      and item.cause_id = ${cause}::uuid ${byPart}
    ${lineJoins}
    where run.kind = ${sql.lit(posted.run)} and run.day = ${day}::date and (run.reverses is not null) = ${isReversal}
      and item.skip is null and (
        -- Another run may have planned the same payment and not paid it.
        select chunk.paid_at is not null from run_chunk as chunk
        where chunk.run_id = run.id and chunk.to_user >= item.user_id order by chunk.to_user limit 1)
    order by run.created_at desc limit 1`,
  );
  return line;
}

const kindsAndMoves = RunKind.options.flatMap((run) => kinds[run].moves.map((move) => ({ run, move })));

/** Returns the kind of run that posts a kind of transfer, and its move. */
const postedBy = (kind: TransferKind) => kindsAndMoves.find(({ move }) => move.kind === kind);

export const isPostedByRun = (kind: TransferKind) => postedBy(kind) !== undefined;
