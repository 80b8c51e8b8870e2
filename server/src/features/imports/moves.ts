import { sql } from 'kysely';
import { type Db, runQuery } from '#server/core/db/db.ts';

/** The users after `after`, up to and including `to`, in the order of their ids. */
export type Range = { after: string; to: string };

/** SQL that is true for the rows of these users. */
export const isOfRange = ({ after, to }: Range, column: 'id' | 'owner_id' = 'owner_id') =>
  sql<boolean>`${sql.ref(column)} > ${after}::uuid and ${sql.ref(column)} <= ${to}::uuid`;

/**
 * SQL for all transfers of these users: what they own is deposited, active stakes and pending withdrawals move it on,
 * and what was withdrawn before the import comes in and goes out again. The shares of a user are deposited under the id
 * of the user.
 */
export const openingMoves = (range: Range) => sql`
  select step, kind::transfer_kind as kind, cause_id, part, user_id, asset::asset as asset,
    debit::ledger_account as debit, credit::ledger_account as credit, units
  from (
    select 0 as step, 'deposit' as kind, id as cause_id, 0 as part, id as user_id, 'SHARE' as asset, 'outside' as debit,
      'available' as credit, gmp_shares as units
    from import_user where ${isOfRange(range, 'id')} and gmp_shares > 0
    union all
    select 0, 'deposit', id, 0, owner_id, asset::text, 'outside', 'available', units
    from import_balance where ${isOfRange(range)} and units > 0
    union all
    select 1, step.kind, id, step.part, owner_id, 'USD', step.debit, step.credit, amount_usd
    from import_withdrawal cross join lateral (values
      ('deposit', 0, 'outside', 'available', status = 'Completed'),
      ('withdrawal', 0, 'available', 'held', true),
      ('withdrawal', 1, 'held', 'outside', status = 'Completed'),
      ('withdrawal', 1, 'held', 'available', status = 'Failed')
    ) as step (kind, part, debit, credit, happened)
    where ${isOfRange(range)} and happened
    union all
    select 2, 'stake', id, step.part, owner_id, 'USD', step.debit, step.credit, amount_usd
    from import_stake cross join lateral (values
      (0, 'available', 'staked', true), (1, 'staked', 'available', status = 'Completed')
    ) as step (part, debit, credit, happened)
    where ${isOfRange(range)} and happened
  ) as moved`;

/** Returns the ids of the withdrawals of these users, and the ids under which their transfers can have deposits. */
export async function selectMovedIds(db: Db, range: Range) {
  const idsIn = async (table: string, column: 'id' | 'owner_id' = 'owner_id') => {
    const rows = await runQuery<{ id: string }>(
      db,
      sql`select id from ${sql.table(table)} where ${isOfRange(range, column)}`,
    );
    return rows.map(({ id }) => id);
  };
  const withdrawals = await idsIn('import_withdrawal');
  const deposits = [...(await idsIn('import_user', 'id')), ...(await idsIn('import_balance')), ...withdrawals];
  return { deposits, withdrawals };
}
