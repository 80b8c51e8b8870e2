import type { ListedPayment } from 'contract/withdrawals-list.ts';
import type { DifferenceKind, Reconciliation, ReconciliationDifference } from 'contract/withdrawals-reconciliation.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';
import { type List, listPage } from '#server/core/db/list.ts';

type NewReconciliation = {
  madeBy: string;
  fromDay: string;
  toDay: string;
  digest: string;
  listed: number;
  matched: number;
};

/** Violates the key `reconciliation_of_list` if the same list was compared with the same period before. */
export async function insertReconciliation(tx: Tx, reconciliation: NewReconciliation) {
  const { id } = await tx.insertInto('reconciliation').values(reconciliation).returning('id').executeTakeFirstOrThrow();
  return id;
}

type Compared = {
  kind: DifferenceKind | 'matched';
  withdrawalId: string | null;
  reference: string | null;
  listedUsd: bigint | null;
  listedWallet: string | null;
  listedAt: Date | null;
};

type Period = { from: string; to: string };

/**
 * Compares a list with the withdrawals in one statement. A listed reference matches a withdrawal sent at any time. A
 * withdrawal is missing only if it was sent in the period and is not listed. A failed withdrawal was returned to the
 * user, so a listed transfer for it is unexpected.
 */
export async function selectComparison(db: Db, payments: readonly ListedPayment[], { from, to }: Period) {
  const { rows } = await sql<Compared>`
    with listed as (
      select * from unnest(${payments.map(({ reference }) => reference)}::text[],
        ${payments.map(({ amount }) => amount)}::bigint[], ${payments.map(({ wallet }) => wallet)}::text[],
        ${payments.map(({ time }) => time)}::timestamptz[]) as listed (reference, units, wallet, at)
    )
    select
      case
        when ours.id is null or ours.state not in ('sent', 'unknown', 'confirmed') then 'unexpected'
        when ours.amount_usd <> listed.units then 'amount'
        when ours.wallet <> listed.wallet then 'wallet'
        else 'matched'
      end as kind,
      ours.id as "withdrawalId", listed.reference, listed.units as "listedUsd", listed.wallet as "listedWallet",
      listed.at as "listedAt"
    from listed left join withdrawal as ours on ours.reference = listed.reference
    union all
    select 'missing', ours.id, ours.reference, null, null, null
    from withdrawal as ours
    where ours.state in ('sent', 'unknown', 'confirmed') and (ours.sent_at is not null or ours.settled_at is not null)
      and coalesce(ours.sent_at, ours.settled_at) >= ${from}::date at time zone 'UTC'
      and coalesce(ours.sent_at, ours.settled_at) < (${to}::date + 1) at time zone 'UTC'
      and not exists (select from listed where listed.reference = ours.reference)`.execute(db);
  return rows;
}

type NewDifference = Omit<Compared, 'kind'> & { kind: DifferenceKind };

export async function insertDifferences(tx: Tx, reconciliationId: string, differences: readonly NewDifference[]) {
  // PostgreSQL allows 65,535 parameters in a statement.
  for (let start = 0; start < differences.length; start += insertedAtOnce) {
    const rows = differences.slice(start, start + insertedAtOnce).map((it) => ({ ...it, reconciliationId }));
    await tx.insertInto('reconciliationItem').values(rows).execute();
  }
}

const insertedAtOnce = 1_000;

const newestFirst = { sort: '-id', column: 'id', type: 'uuid', descending: true } as const;

type PageQuery = { cursor: string | undefined; limit: number };

export function selectReconciliations(db: Db, query: PageQuery) {
  return listPage<Reconciliation>(db, {
    ...query,
    rows: sql`reconciliation`,
    columns: reconciliationColumns,
    joins: reconciliationJoins,
    order: newestFirst,
    where: [],
    countAll: () => count(db, { rows: sql`reconciliation`, where: [] }),
  });
}

const reconciliationColumns = sql`
  maker.username as "madeBy", item.made_at as "madeAt", item.from_day::text as from, item.to_day::text as to,
  item.digest, item.listed, item.matched, found.differences, found.open`;

const reconciliationJoins = sql`
  join admin as maker on maker.id = item.made_by
  cross join lateral (
    select count(*)::int as differences, (count(*) filter (where closed_at is null))::int as open
    from reconciliation_item where reconciliation_item.reconciliation_id = item.id
  ) as found`;

export async function selectReconciliation(db: Db, id: string) {
  const { rows } = await sql<Reconciliation>`
    select item.id, ${reconciliationColumns} from reconciliation as item ${reconciliationJoins}
    where item.id = ${id}::uuid`.execute(db);
  return rows[0];
}

const differenceColumns = sql`
  item.reconciliation_id as reconciliation, item.kind, item.reference, item.listed_usd as "listedAmount",
  item.listed_wallet as "listedWallet", item.listed_at as "listedAt", item.closed_at as "closedAt",
  closer.username as "closedBy", item.note, item.withdrawal_id as "withdrawalId", platform_user.username as user,
  ours.amount_usd as amount, ours.wallet, coalesce(ours.sent_at, ours.settled_at) as "sentAt"`;

const differenceJoins = sql`
  left join admin as closer on closer.id = item.closed_by
  left join withdrawal as ours on ours.id = item.withdrawal_id
  left join platform_user on platform_user.id = ours.user_id`;

type DifferenceRow = Omit<ReconciliationDifference, 'withdrawal'> & {
  withdrawalId: string | null;
  user: string;
  amount: bigint;
  wallet: string;
  sentAt: Date | null;
};

const shown = ({ withdrawalId, user, amount, wallet, sentAt, ...row }: DifferenceRow): ReconciliationDifference => ({
  ...row,
  withdrawal: withdrawalId === null ? null : { id: withdrawalId, user, amount, wallet, sentAt },
});

type DifferenceQuery = PageQuery & { only?: 'open' | undefined; reconciliation?: string | undefined };

export async function selectDifferences(db: Db, { only, reconciliation, ...query }: DifferenceQuery) {
  const where = [
    ...(only ? [sql<boolean>`item.closed_at is null`] : []),
    ...(reconciliation === undefined ? [] : [sql<boolean>`item.reconciliation_id = ${reconciliation}::uuid`]),
  ];
  const rows = sql`reconciliation_item`;
  const { rows: found, ...page } = await listPage<DifferenceRow>(db, {
    ...query,
    rows,
    columns: differenceColumns,
    joins: differenceJoins,
    order: newestFirst,
    where,
    countAll: () => count(db, { rows, where }),
  });
  return { differences: found.map(shown), ...page };
}

/** Comparisons are made by administrators, and differences are rare, so they have no counters. */
async function count(db: Db, { rows, where }: Pick<List, 'rows' | 'where'>) {
  const counted = await sql<{ count: bigint }>`
    select count(*) from ${rows} as item where ${sql.join([sql`true`, ...where], sql` and `)}`.execute(db);
  return Number(counted.rows[0]?.count ?? 0n);
}

/** Locks a difference, so that the second of two concurrent administrators sees that it is closed. */
export async function lockDifference(tx: Tx, id: string) {
  const locked = await tx
    .selectFrom('reconciliationItem')
    .select('id')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!locked) return undefined;
  const { rows } = await sql<DifferenceRow>`
    select item.id, ${differenceColumns} from reconciliation_item as item ${differenceJoins}
    where item.id = ${id}::uuid`.execute(tx);
  return rows[0] && shown(rows[0]);
}

export async function updateClosed(tx: Tx, id: string, { closedBy, note }: { closedBy: string; note: string }) {
  await tx
    .updateTable('reconciliationItem')
    .set({ closedBy, note, closedAt: sql`now()` })
    .where('id', '=', id)
    .execute();
}
