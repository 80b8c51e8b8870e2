import type { Account, TransferKind } from 'contract/ledger.ts';
import type { Asset } from 'contract/core/money.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';
import { type List, listPage } from '#server/core/db/list.ts';
import { rowsAsJson } from '#server/core/db/rows.ts';
import type { Posting } from './posting.ts';

export async function insertTransfers(tx: Tx, postings: Posting[]) {
  await sql`
    insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units)
    select coalesce(day, (now() at time zone 'UTC')::date), kind, "causeId", part, "userId", asset, debit, credit, units
    from json_to_recordset(${rowsAsJson(postings)}) as item (
      day date, kind transfer_kind, "causeId" uuid, part integer, "userId" uuid, asset asset, debit ledger_account,
      credit ledger_account, units bigint)`.execute(tx);
}

type Key = Pick<Posting, 'kind' | 'causeId' | 'part'>;

/** Reverses a transfer of a kind that is paid once, which is found by its key. Returns the number of reversals. */
export async function insertReversal(tx: Tx, { kind, causeId, part }: Key) {
  const { numAffectedRows } = await sql`
    insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units, reverses, reverses_day)
    select (now() at time zone 'UTC')::date, it.kind, it.cause_id, it.part, it.user_id, it.asset, it.credit, it.debit,
      it.units, it.id, it.day
    from transfer_once as once join transfer as it on it.day = once.day and it.id = once.transfer_id
    where once.kind = ${kind} and once.cause_id = ${causeId}::uuid and once.part = ${part} and not once.reverses
  `.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Returns how often a payment of a kind that is paid once was reversed. This is its part: as long as the payment stands,
 * a second one has the same key, and the database refuses it.
 */
export async function selectReversals(tx: Tx, { kind, causeId }: Omit<Key, 'part'>) {
  const reversed = tx.selectFrom('transferOnce').select((from) => from.fn.countAll<bigint>().as('count'));
  const { count } = await reversed
    .where('kind', '=', kind)
    .where('causeId', '=', causeId)
    .where('reverses', '=', true)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export type TransferRow = {
  id: bigint;
  day: string;
  postedAt: Date;
  kind: TransferKind;
  cause: string;
  part: number;
  userUuid: string | null;
  username: string | null;
  retired: boolean;
  asset: Asset;
  units: bigint;
  from: Account;
  to: Account;
  reverses: bigint | null;
  reversesDay: string | null;
};

const columns = sql`
  item.day::text as day, item.at as "postedAt", item.kind, item.cause_id as cause, item.part, item.user_id as "userUuid",
  platform_user.username, platform_user.retired_at is not null as retired, item.asset, item.units, item.debit as from,
  item.credit as to, item.reverses, item.reverses_day::text as "reversesDay"`;

const joins = sql`left join platform_user on platform_user.id = item.user_id`;

type Query = {
  kind?: TransferKind | undefined;
  user?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  cursor?: string | undefined;
  limit: number;
};

export const selectPage = (db: Db, query: Query) => listPage<TransferRow>(db, transferList(db, query));

/** The kind is a literal, because a cached plan for any kind would be slow for a rare one. */
function narrowed({ kind, user }: Pick<Query, 'kind' | 'user'>) {
  return [
    ...(kind ? [sql<boolean>`item.kind = ${sql.lit(kind)}`] : []),
    ...(user === undefined ? [] : [sql<boolean>`item.user_id = ${user}::uuid`]),
  ];
}

export function transferList(db: Db, query: Query): List {
  const { from, to } = query;
  const days = [
    ...(from === undefined ? [] : [sql<boolean>`item.day >= ${from}::date`]),
    ...(to === undefined ? [] : [sql<boolean>`item.day <= ${to}::date`]),
  ];
  return {
    rows: sql`transfer`,
    columns,
    joins,
    order: { sort: '-day', column: 'day', type: 'date', descending: true, id: 'bigint' },
    where: narrowed(query),
    // Every index of the list is ordered by day, so a scan reaches these rows directly and counts them up to the limit.
    searchFilter: days.length > 0 ? { scan: sql<boolean>`${sql.join(days, sql` and `)}` } : undefined,
    countAll: () => countAll(db, query),
    cursor: query.cursor,
    limit: query.limit,
  };
}

/** The transfers of one user are few enough to count; all others have counters. */
async function countAll(db: Db, { kind, user }: Query) {
  const conditions = sql.join([sql`true`, ...narrowed({ kind, user })], sql` and `);
  const counted =
    user === undefined
      ? sql`select coalesce(sum(delta), 0)::bigint as count from transfer_count as item`
      : sql`select count(*) from transfer as item`;
  const { rows } = await sql<{ count: bigint }>`${counted} where ${conditions}`.execute(db);
  return Number(rows[0]?.count ?? 0n);
}

export async function selectTransfer(db: Db, { day, id }: { day: string; id: bigint }) {
  const { rows } = await sql<TransferRow>`
    select item.id, ${columns} from transfer as item ${joins}
    where item.day = ${day}::date and item.id = ${id}`.execute(db);
  return rows[0];
}

/** The reversal of a run's transfer has the same day; that of a kind that is paid once is found by its key. */
export async function selectReversalOf(db: Db, { day, id, kind, cause }: TransferRow) {
  const { rows } = await sql<{ day: string; id: bigint }>`
    select day::text, id from transfer where day = ${day}::date and reverses = ${id}
    union all
    select day::text, transfer_id from transfer_once
    where kind = ${kind} and cause_id = ${cause}::uuid and reverses and exists (
      select from transfer as it
      where it.day = transfer_once.day and it.id = transfer_once.transfer_id and it.reverses = ${id})
    limit 1`.execute(db);
  return rows[0];
}

export async function selectBalances(db: Db) {
  const { rows } = await sql<{ account: Account; asset: Asset; units: bigint }>`
    select account, asset, sum(units)::bigint as units from ledger_balance
    group by account, asset order by account, asset`.execute(db);
  return rows;
}

/**
 * Merges the rows of each account and asset into one. Rows added concurrently are not visible, so they are not lost.
 */
export async function foldBalances(tx: Tx) {
  await sql`
    with folded as (delete from ledger_balance returning account, asset, units)
    insert into ledger_balance (account, asset, units)
    select account, asset, sum(units) from folded group by account, asset`.execute(tx);
  await sql`
    with folded as (delete from transfer_count returning kind, delta)
    insert into transfer_count (kind, delta) select kind, sum(delta) from folded group by kind`.execute(tx);
}

/** Creates the partitions of all months up to half a year ahead, also those that were missed without a worker. */
export async function prepareMonths(tx: Tx) {
  await sql`select prepare_months('transfer', (now() at time zone 'UTC' + interval '6 months')::date)`.execute(tx);
}
