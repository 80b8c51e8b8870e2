import { type RawBuilder, sql } from 'kysely';
import { runQuery, type Tx } from '#server/core/db/db.ts';

/**
 * Posts the transfers with which an imported platform starts, and records their deposits. `moves` is SQL for them, with
 * the columns `step`, `kind`, `cause_id`, `part`, `user_id`, `asset`, `debit`, `credit` and `units`. The stakes and
 * withdrawals that cause the others must be stored in the same transaction. One statement posts everything, so a balance
 * may be used before the row that brings it; the database refuses a second transfer with the same cause.
 */
export async function postOpening(tx: Tx, moves: RawBuilder<unknown>) {
  await sql`
    insert into deposit (id, user_id, asset, units)
    select cause_id, user_id, asset, units from (${moves}) as move where kind = 'deposit'
    order by cause_id`.execute(tx);
  await sql`
    insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units)
    select (now() at time zone 'UTC')::date, kind, cause_id, part, user_id, asset, debit, credit, units
    from (${moves}) as move
    order by step, cause_id, part`.execute(tx);
}

/**
 * Whether there is no transfer, deposit or withdrawal. Keeps others from writing any until the transaction ends, so that
 * all that are there then are its own.
 */
export async function lockUnlessUsed(tx: Tx) {
  await sql`lock table transfer, deposit, withdrawal in share row exclusive mode`.execute(tx);
  const [found] = await runQuery<{ empty: boolean }>(
    tx,
    sql`select not exists (select from transfer) and not exists (select from deposit)
      and not exists (select from withdrawal) as empty`,
  );
  return found?.empty ?? false;
}
