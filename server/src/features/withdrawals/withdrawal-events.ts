import type { Tx } from '#server/core/db/db.ts';
import { recordEvent } from '#server/core/outbox/outbox.ts';
import { selectPlatformIds, selectWithdrawal } from './queries.ts';

type WithdrawalEvent = `withdrawal.${'approved' | 'rejected' | 'confirmed' | 'failed'}`;

/** Tells receivers outside what happened to a withdrawal. Call it after the change. */
export async function recordWithdrawalEvent(tx: Tx, id: string, type: WithdrawalEvent) {
  const withdrawal = await selectWithdrawal(tx, id);
  if (!withdrawal) throw new Error(`The withdrawal ${id} is gone from the transaction that decided it.`);
  const { userUuid, user: username, amount, wallet, status, state, askedAt, reason, reference } = withdrawal;
  const { platformId, userId } = await selectPlatformIds(tx, id);
  const money = { withdrawalId: id, platformId, userUuid, userId, username, amount, asset: 'USD', wallet } as const;
  const outcome = { status, state, isAsked: askedAt !== null, reason, reference };
  await recordEvent(tx, { type, subjectId: id, data: { ...money, ...outcome } });
}
