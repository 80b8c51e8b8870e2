import type { OpenState, Outcome, SettlementSource, WithdrawalState } from 'contract/withdrawal-states.ts';
import { sql } from 'kysely';
import { sealRecords } from '#server/core/audit/record-seals.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { refuseTaken } from './queries.ts';

const now = sql<Date>`now()`;

export async function updateAsked(tx: Tx, id: string) {
  await tx.updateTable('withdrawal').set({ askedAt: now }).where('id', '=', id).execute();
}

/** Who reports an outcome: an administrator, or the platform. */
export type Reporter = { source: SettlementSource; adminId: string | null };

type NewOutcome = {
  outcome: Outcome;
  state: WithdrawalState;
  reference: string | null;
  reason?: string | undefined;
  requestedBy?: string;
};

/** Stores what became of a withdrawal. One that is confirmed is not left with the reason of a failure that was denied. */
export async function updateOutcome(
  tx: Tx,
  id: string,
  { source, adminId, outcome, state, reference, reason, requestedBy }: NewOutcome & Reporter,
) {
  const fields = {
    sent: { sentAt: now, sentBy: adminId, sentSource: source },
    unknown: { unknownAt: now, unknownBy: adminId, unknownSource: source },
    confirmed: { settledAt: now, settledBy: adminId, settledSource: source, reason: null },
    failed: { settledAt: now, settledBy: adminId, settledSource: source, failureRequestedBy: requestedBy ?? null },
  }[outcome];
  await tx
    .updateTable('withdrawal')
    .set({ state, reference, ...fields, ...(outcome === 'failed' && reason !== undefined && { reason }) })
    .where('id', '=', id)
    .execute()
    .catch(refuseTaken);
  await sealRecords(tx, 'withdrawal', [id]);
}

/** Stores the reason for which a second approver is asked to confirm a failure. */
export async function updateReason(tx: Tx, id: string, reason: string) {
  await tx.updateTable('withdrawal').set({ reason }).where('id', '=', id).execute();
}

/** Marks withdrawals as unknown that were sent, or asked for, and not heard of in time. Returns their ids. */
export async function updateUnheard(tx: Tx) {
  const { rows } = await sql<{ id: string }>`
    update withdrawal set state = 'unknown', unknown_at = now(), unknown_source = 'clock'
    where id in (
      select id from withdrawal
      where state in ('approved', 'sent') and coalesce(sent_at, asked_at) < now() - (
        select unknown_after_hours * interval '1 hour' from withdrawal_settings order by version desc limit 1)
      for update skip locked)
    returning id`.execute(tx);
  const ids = rows.map(({ id }) => id);
  await sealRecords(tx, 'withdrawal', ids);
  return ids;
}

/** Returns how many withdrawals wait in each open state, and since when the oldest does. */
export async function selectOpen(db: Db) {
  const { rows } = await sql<{ state: OpenState; count: bigint; amount: bigint; oldest: Date }>`
    select state, count(*), sum(amount_usd)::bigint as amount,
      min(case state when 'approved' then decided_at when 'sent' then sent_at else unknown_at end) as oldest
    from withdrawal where state in ('approved', 'sent', 'unknown') group by state`.execute(db);
  return rows;
}
