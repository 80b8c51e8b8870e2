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
import type { Db } from '#server/core/db/db.ts';
import type { Order } from '#server/core/db/keyset.ts';
import { type List, listPage, partOf } from '#server/core/db/list.ts';

type Condition = RawBuilder<boolean>;

type Source = {
  table: RawBuilder<unknown>;
  counts: RawBuilder<unknown>;
  /** What the rows that are reported have in common; an index serves it. */
  reported: Condition[];
  /** The reported status and the stored one. */
  stored: Record<string, string>;
  /** The column between user and date: its name, as it is answered and as it is written to a file. */
  value: string;
  answered: RawBuilder<unknown>;
  written: RawBuilder<unknown>;
  /** Beside the user and the status: text may hold anything. */
  isText: boolean;
};

/** Exact, with two decimals at least: as writeAmount of the contract writes dollars and GMP. */
const written = (units: RawBuilder<unknown>) => sql`(${units} / 1000000) || '.'
  || lpad((${units} / 10000 % 100)::text, 2, '0') || rtrim(lpad((${units} % 10000)::text, 4, '0'), '0')`;
const writtenUsd = written(sql`item.amount_usd`);

const sources = {
  withdrawal: {
    table: sql`withdrawal`,
    counts: sql`withdrawal_count`,
    // A failed one moved no money.
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

/** In no report. They are counted, so that a report can say what it leaves out. */
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

export const selectPage = <Row>(db: Db, { tab, ...asked }: Query) =>
  listPage<Row>(db, reportList(db, sources[tab], asked));

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

/** Shares are whole numbers; all else is money, with decimals. */
const kindsOfShares = RunKind.options
  .filter((kind) => runKinds[kind].input.asset === 'SHARE')
  .map((kind) => sql.lit(kind));

/** The lines of a run's plan, by user. */
function writtenLines(run: string) {
  return {
    head: 'User,Cause,Input,Daily rate (basis points),Amount,Bonus,Set aside,Loyalty released,Outcome',
    quoted: ['user'],
    query: sql`
      select csv_text(platform_user.username) as "user", item.cause_id as cause,
        case when run.kind in (${sql.join(kindsOfShares)}) then item.input::text else ${written(sql`item.input`)} end as input,
        item.rate_bp as rate, ${written(sql`item.base`)} as base, ${written(sql`item.bonus`)} as bonus,
        ${written(sql`item.loyalty`)} as loyalty, ${written(sql`item.closing`)} as closing,
        coalesce('skipped: ' || item.skip, case when (
          select chunk.paid_at is not null from run_chunk as chunk
          where chunk.run_id = item.run_id and chunk.to_user >= item.user_id order by chunk.to_user limit 1
        ) then 'paid' when run.ended_at is not null then 'not paid' else 'planned' end) as outcome
      from run join run_line as item on item.run_id = run.id and item.day = run.day ${user}
      where run.id = ${run}::uuid order by item.user_id, item.cause_id`,
  };
}

export async function countLines(db: Db, run: string) {
  const found = await db.selectFrom('run').select('lines').where('id', '=', run).executeTakeFirst();
  return found?.lines;
}

const headings = { withdrawal: 'Amount', staking: 'Stake', task: 'Task' } as const satisfies Record<ReportTab, string>;

/** What a file of it holds: its first line, and the query of the others. */
export const writtenExport = (tab: Exported, { run, ...filter }: ExportFilter) =>
  tab === 'run'
    ? writtenLines(run ?? '')
    : { head: `User,${headings[tab]},Date,Status`, ...writtenReport(tab, filter) };

/** The same rows in the same order, as the cells of a file. */
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

/** Which rows a filter lets through. */
function found(source: Source, { user, status, date }: ReportFilter): Pick<List, 'rows' | 'where' | 'searchFilter'> {
  const where = narrowed(source, { status, date });
  if (user === undefined) {
    // A day has no counter: its rows are counted as far as anything is.
    return { rows: source.table, where, searchFilter: date === undefined ? undefined : { scan: onDay(date) } };
  }
  // Looked up for each row, never turned into a join: that could read every user there is.
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

/** Whether a name on a day can be too common to count: a few times as many as are counted say enough. */
async function countDay(db: Db, source: Source, { status, date }: ReportFilter) {
  const { rows } = await sql<{ count: bigint }>`
    select count(*) from (
      select from ${source.table} as item where ${allOf(narrowed(source, { status, date }))} limit ${5 * countedAtMost}
    ) as item`.execute(db);
  return Number(rows[0]?.count ?? 0n);
}
