import type { CopyIn } from '#server/core/db/copy.ts';

type SeedWithdrawal = {
  id: string;
  userId: string;
  amountUsd: number;
  wallet: string;
  state: 'requested' | 'confirmed' | 'rejected';
  createdAt: Date;
  balanceUsd: number;
  gmpShares: number;
  prevSlx: number;
  slxPoints: number;
  decidedAt: Date | null;
  reason: string | null;
  reference: string | null;
};

export function copyWithdrawals(copy: CopyIn, withdrawals: Iterable<SeedWithdrawal>) {
  const statement = `copy withdrawal (id, user_id, amount_usd, wallet, state, created_at, balance_usd, gmp_shares,
    prev_slx, slx_points, decided_at, reason, reference) from stdin`;
  return copy(statement, lines());
  function* lines() {
    for (const it of withdrawals) {
      const requested = [it.id, it.userId, it.amountUsd, it.wallet, it.state, it.createdAt, it.balanceUsd];
      yield [...requested, it.gmpShares, it.prevSlx, it.slxPoints, it.decidedAt, it.reason, it.reference];
    }
  }
}

/** Sets the balance of each request to what the ledger had at that time. */
export const balancesByLedger = `
  update withdrawal as item set balance_usd = (
    select sum(gained('available', debit, credit, units)) from transfer
    where transfer.user_id = item.user_id and asset = 'USD' and at < item.created_at)`;

export const recountWithdrawals = `
  insert into withdrawal_count (status, delta, amount_usd)
  select status, count(*), sum(amount_usd) from withdrawal group by status`;
