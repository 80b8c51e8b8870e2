import { countedAtMost } from 'contract/core/paging.ts';
import {
  type Exported,
  type ExportFilter,
  newestSearched,
  type ReportFilter,
  type ReportTab,
  type reportStatuses,
  searchesNewestOnly,
} from 'contract/reports.ts';
import { RunKind, runKinds } from 'contract/run-kinds.ts';
import { type RawBuilder, sql } from 'kysely';
import { writtenEntries } from '#server/core/audit/list-queries.ts';
import { type Db, runQuery } from '#server/core/db/db.ts';
import type { Order } from '#server/core/db/keyset.ts';
import { type List, listPage, partOf } from '#server/core/db/list.ts';

type Condition = RawBuilder<boolean>;

type Source = {
  table: RawBuilder<unknown>;
  counts: RawBuilder<unknown>;
  /** The conditions of all reported rows; an index supports them. */
  reported: Condition[];
  /** The stored status for each reported one. */
  stored: Record<string, string>;
  /** The column between user and date: its name, its SQL for a response and its SQL for a file. */
  value: string;
  answered: RawBuilder<unknown>;
  written: RawBuilder<unknown>;
  /** Whether that column is text and therefore quoted in a file, like the user and the status. */
  isText: boolean;
};

/** Formats an amount exactly, with at least two decimals, like writeAmount of the contract for dollars and GMP. */
const written = (units: RawBuilder<unknown>) => sql`(${units} / 1000000) || '.'
  || lpad((${units} / 10000 % 100)::text, 2, '0') || rtrim(lpad((${units} % 10000)::text, 4, '0'), '0')`;
const writtenUsd = written(sql`item.amount_usd`);

const sources = {
  withdrawal: {
    table: sql`withdrawal`,
    counts: sql`withdrawal_count`,
    // A failed withdrawal moved no money.
    reported: [sql<boolean>`item.status <> 'Failed'`],
    stored: { Completed: 'Completed', Pending: 'Pending' },
    value: 'amount',
    answered: sql`item.amount_usd`,
    written: writtenUsd,
    isText: false,
  },
  staking: {
    table: sql`stake`,
    counts: sql`stake_count`,
    reported: [],
    stored: { Active: 'Active', Ended: 'Completed' },
    value: 'stake',
    answered: sql`item.amount_usd`,
    written: writtenUsd,
    isText: false,
  },
  task: {
    table: sql`task`,
    counts: sql`task_count`,
    reported: [],
    stored: { Completed: 'Completed', Pending: 'Active' },
    value: 'task',
    answered: sql`item.title`,
    written: sql`csv_text(item.title)`,
    isText: true,
  },
} satisfies { [T in ReportTab]: Source & { stored: Record<(typeof reportStatuses)[T][number], string> } };

/** Failed withdrawals are in no report. They are counted so that a report can say how many it leaves out. */
const failedWithdrawals: Source = {
  ...sources.withdrawal,
  reported: [sql<boolean>`item.status = 'Failed'`],
  stored: { Failed: 'Failed' },
};

const newestFirst: Order = { sort: '-createdAt', column: 'created_at', type: 'timestamptz', descending: true };
const user = sql`join platform_user on platform_user.id = item.user_id`;
const day = sql`to_char(item.created_at at time zone 'UTC', 'YYYY-MM-DD')`;

function reportedStatus({ stored }: Source) {
  const cases = Object.entries(stored).map(([reported, status]) => sql`when ${status} then ${reported}`);
  return sql`case item.status ${sql.join(cases, sql` `)} end`;
}

export type Query = { tab: ReportTab; filter: ReportFilter; cursor: string | undefined; limit: number };

export const selectPage = <Row>(db: Db, { tab, ...query }: Query) =>
  listPage<Row>(db, reportList(db, sources[tab], query));

export async function countFailed(db: Db, filter: Omit<ReportFilter, 'status'>) {
  const { total } = await listPage(db, reportList(db, failedWithdrawals, { filter, cursor: undefined, limit: 1 }));
  return total;
}

function reportList(db: Db, source: Source, { filter, cursor, limit }: Omit<Query, 'tab'>): List {
  return {
    ...found(source, filter),
    columns: sql`platform_user.username as "user", ${source.answered} as ${sql.ref(source.value)}, ${day} as date,
      ${reportedStatus(source)} as status`,
    joins: user,
    order: newestFirst,
    countAll: () => (filter.date === undefined ? countReported(db, source, filter) : countDay(db, source, filter)),
    cursor,
    limit,
  };
}

/** The kinds whose input is shares, which are whole numbers. Every other input is money with decimals. */
const kindsOfShares = RunKind.options
  .filter((kind) => runKinds[kind].input.asset === 'SHARE')
  .map((kind) => sql.lit(kind));

/** The lines of a run's plan, ordered by user. */
function writtenLines(run: string) {
  return {
    head: 'User,Cause,Input,Daily rate (percent),Amount,Bonus,Set aside,Loyalty released,Outcome',
    quoted: ['user'],
    query: sql`
      select csv_text(platform_user.username) as "user", item.cause_id as cause,
        case when run.kind in (${sql.join(kindsOfShares)}) then item.input::text else ${written(sql`item.input`)} end as input,
        trim_scale(item.rate_ppm / 10000.0) as rate, ${written(sql`item.base`)} as base, ${written(sql`item.bonus`)} as bonus,
        ${written(sql`item.loyalty`)} as loyalty, ${written(sql`item.closing`)} as closing,
        coalesce('skipped: ' || item.skip, case when (
          select chunk.paid_at is not null from run_chunk as chunk
          where chunk.run_id = item.run_id and chunk.to_user >= item.user_id order by chunk.to_user limit 1
        ) then 'paid' when run.ended_at is not null then 'not paid' else 'planned' end) as outcome
      from run join run_line as item on item.run_id = run.id and item.day = run.day ${user}
      where run.id = ${run}::uuid order by item.user_id, item.cause_id`,
  };
}

/** Returns undefined if there is no such run, or if its lines are archived. */
export async function countLines(db: Db, run: string) {
  const [found] = await runQuery<{ lines: bigint }>(
    db,
    sql`select lines from run
      where id = ${run}::uuid and not exists (
        select from run_line_archive where until > run.day and archived_at is not null)`,
  );
  return found?.lines;
}

const headings = { withdrawal: 'Amount', staking: 'Stake', task: 'Task' } as const satisfies Record<ReportTab, string>;

/** Returns the header line of a file and the query for its rows. */
export function writtenExport(tab: Exported, { run, audit = {}, ...filter }: ExportFilter) {
  if (tab === 'run') return writtenLines(run ?? '');
  if (tab === 'audit') return writtenEntries(audit);
  return { head: `User,${headings[tab]},Date,Status`, ...writtenReport(tab, filter) };
}

/** Returns the query for the rows of a report file, the same rows in the same order as the list. */
export function writtenReport(tab: ReportTab, filter: ReportFilter) {
  const source: Source = sources[tab];
  const { rows, where, searchFilter } = found(source, filter);
  const conditions = [...where, ...(searchFilter ? [searchFilter.indexLookup ?? searchFilter.scan] : [])];
  return {
    quoted: ['user', ...(source.isText ? [source.value] : []), 'status'],
    query: sql`
      select csv_text(platform_user.username) as "user", ${source.written} as ${sql.ref(source.value)}, ${day} as date,
        ${reportedStatus(source)} as status
      from ${rows} as item ${user} where ${allOf(conditions)} order by item.created_at desc, item.id desc`,
  };
}

const allOf = (conditions: Condition[]) => sql<boolean>`${sql.join([sql`true`, ...conditions], sql` and `)}`;

/** Returns the rows and conditions of a list for a filter. */
function found(source: Source, { user, status, date }: ReportFilter): Pick<List, 'rows' | 'where' | 'searchFilter'> {
  const where = narrowed(source, { status, date });
  if (user === undefined) {
    // A day has no counter, so its rows are counted up to the usual limit.
    return { rows: source.table, where, searchFilter: date === undefined ? undefined : { scan: onDay(date) } };
  }
  // A subselect for each row: the planner might execute a join as a scan of all users.
  const scan = sql<boolean>`(select strpos(lower(platform_user.username), lower(${user})) > 0
    from platform_user where platform_user.id = item.user_id)`;
  if (searchesNewestOnly(user)) {
    const newest = sql`(
      select item.* from ${source.table} as item where ${allOf(where)}
      order by item.created_at desc, item.id desc limit ${newestSearched})`;
    return { rows: newest, where: [], searchFilter: { scan } };
  }
  const named = sql`select platform_user.id from platform_user where lower(platform_user.username) like ${partOf(user)}`;
  return { rows: source.table, where, searchFilter: { indexLookup: sql<boolean>`item.user_id in (${named})`, scan } };
}

function narrowed(source: Source, { status, date }: Omit<ReportFilter, 'user'>): Condition[] {
  const onDate = date === undefined ? [] : [onDay(date)];
  if (status === undefined) return [...source.reported, ...onDate];
  const [wanted] = storedAs(source, status);
  return wanted === undefined ? [sql<boolean>`false`] : [sql<boolean>`item.status = ${wanted}`, ...onDate];
}

function storedAs({ stored }: Source, status: string | undefined) {
  const known = Object.entries(stored).filter(([reported]) => status === undefined || reported === status);
  return known.map(([, one]) => one);
}

const onDay = (date: string) => sql<boolean>`item.created_at >= ${date}::date::timestamp at time zone 'UTC'
  and item.created_at < (${date}::date + 1)::timestamp at time zone 'UTC'`;

async function countReported(db: Db, source: Source, { status }: ReportFilter) {
  const wanted = storedAs(source, status);
  const { rows } = await sql<{ count: bigint }>`
    select coalesce(sum(delta), 0)::bigint as count from ${source.counts}
    where status::text = any(${wanted})`.execute(db);
  return Number(rows[0]?.count ?? 0n);
}

/** Counts the rows of a day up to five times the limit, enough to decide whether a name is too common to count. */
async function countDay(db: Db, source: Source, { status, date }: ReportFilter) {
  const { rows } = await sql<{ count: bigint }>`
    select count(*) from (
      select from ${source.table} as item where ${allOf(narrowed(source, { status, date }))} limit ${5 * countedAtMost}
    ) as item`.execute(db);
  return Number(rows[0]?.count ?? 0n);
}
