import type { Account, TransferKind } from 'contract/ledger.ts';
import type { Asset } from 'contract/core/money.ts';
import { sql } from 'kysely';
import type { CopyIn } from '#server/core/db/copy.ts';
import type { Database } from '#server/core/db/db.ts';
import { figures, totalsByTransfers } from './verify.ts';

export type SeedTransfer = {
  day: Date;
  kind: TransferKind;
  causeId: string;
  part: number;
  userId: string | null;
  asset: Asset;
  debit: Account;
  credit: Account;
  units: number;
};

export function copyTransfers(copy: CopyIn, transfers: Iterable<SeedTransfer>) {
  const statement = `copy transfer (day, at, kind, cause_id, part, user_id, asset, debit, credit, units) from stdin`;
  return copy(statement, lines());
  function* lines() {
    for (const { day, kind, causeId, part, userId, asset, debit, credit, units } of transfers) {
      yield [day, day, kind, causeId, part, userId, asset, debit, credit, units];
    }
  }
}

/** Funds each account with a negative balance from the treasury, with one transfer per account and asset. */
export const fundWhatWasPaid = `
  insert into transfer (day, at, kind, cause_id, part, asset, debit, credit, units)
  select ($1::timestamptz at time zone 'UTC')::date, $1, 'funding', uuid_v7(), 0, asset, 'treasury', account, -sum(units)
  from ledger_balance where account not in ('treasury', 'outside') group by account, asset having sum(units) < 0`;

/** Sets the day of withdrawals and adjustments to the day of posting. A run's transfers keep the day that it pays. */
export const dayOfPosting = [
  `update transfer set day = (at at time zone 'UTC')::date
  where kind in ('withdrawal', 'adjustment') and day <> (at at time zone 'UTC')::date`,
  // `transfer_once` refers to its transfer by day and id.
  `update transfer_once as once set day = transfer.day
  from transfer where transfer.id = once.transfer_id and transfer.kind = once.kind and transfer.day <> once.day`,
];

/** Records the loaded deposits, which are the causes of their transfers. */
export const recordDeposits = `
  insert into deposit (id, user_id, asset, units, recorded_at)
  select cause_id, user_id, asset, units, at from transfer where kind = 'deposit'`;

/** Fills the tables that triggers maintain, because the bulk load runs without triggers. */
export async function rebuildLedger(owner: Database) {
  const columns = sql.raw(figures.join(', '));
  await sql`
    insert into user_total (user_id, ${columns})
    select platform_user.id, ${sql.raw(figures.map((figure) => `coalesce(truth.${figure}, 0)`).join(', '))}
    from platform_user left join (${totalsByTransfers()}) as truth on truth.user_id = platform_user.id`.execute(owner);
  await sql`
    insert into transfer_once (kind, cause_id, part, reverses, day, transfer_id)
    select kind, cause_id, part, reverses is not null, day, id from transfer
    where paid_once(kind)`.execute(owner);
  await sql`
    insert into ledger_balance (account, asset, units)
    select account, asset, sum(units) from (
      select credit as account, asset, units from transfer union all select debit, asset, -units from transfer
    ) as side
    group by account, asset`.execute(owner);
  await sql`insert into transfer_count (kind, delta) select kind, count(*) from transfer group by kind`.execute(owner);
}
