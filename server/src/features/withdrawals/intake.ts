import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '#server/core/db/db.ts';

/**
 * Inserts the staged withdrawals of an import that the condition selects. What the user had at the time of a request is
 * not known any more, so each shows what the user brings to Bursar.
 */
export async function insertImportedWithdrawals(tx: Tx, condition: RawBuilder<boolean>) {
  const balance = (asset: 'USD' | 'SLX') => sql`coalesce((
      select sum(units) from import_balance as balance
      where balance.owner_id = it.owner_id and balance.asset = ${sql.lit(asset)}), 0)::bigint`;
  await sql`
    insert into withdrawal (id, platform_id, user_id, amount_usd, wallet, state, created_at, balance_usd, gmp_shares, prev_slx,
      slx_points, decided_at, reason, reference)
    select it.id, it.withdrawal_id, it.owner_id, it.amount_usd, it.wallet,
      case it.status when 'Completed' then 'confirmed' when 'Failed' then 'rejected' else 'requested' end::withdrawal_state,
      it.created_at, ${balance('USD')}, holder.gmp_shares,
      ${balance('SLX')}, ${balance('SLX')}, it.decided_at, it.reason, it.signature
    from import_withdrawal as it join import_user as holder on holder.id = it.owner_id
    where ${condition}
    order by it.id`.execute(tx);
}
