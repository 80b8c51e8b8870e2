import { writeFactAmount } from 'contract/approvals-facts.ts';
import { type DailyLimit, refuseDeciding, type Withdrawal } from 'contract/withdrawals.ts';
import { writeAmount } from 'contract/core/money.ts';
import { decideOrRequest, type Effect, withdrawRequest } from '#server/core/approvals/approvals.ts';
import { readAloneLimit } from '#server/core/approvals/limits.ts';
import type { Payload } from '#server/core/approvals/payload.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import { post } from '#server/core/ledger/ledger.ts';
import {
  lockWithdrawal,
  selectObstacles,
  selectSignals,
  selectWithdrawal,
  updateDecided,
  updateSignature,
} from './queries.ts';

type Approval = { actor: Actor; id: string; signature?: string | undefined };

/** Pays a withdrawal; above the daily limit of the administrator it requests a second approval instead. */
export async function approveWithdrawal(tx: Tx, { actor, id, signature }: Approval) {
  const withdrawal = await lockPending(tx, id);
  if (withdrawal.waitsUntil) throw new Refusal('ApprovalWaiting');
  await refuseObstacles(tx, withdrawal);
  const payload = payloadOf({ ...withdrawal, signature: signature ?? null });
  const moves = { asset: 'USD', units: withdrawal.amount } as const;
  const outcome = await decideOrRequest(tx, { kind: 'withdrawal', subjectId: id, payload, moves, actor });
  if (outcome === 'requested') {
    await updateSignature(tx, id, signature ?? null);
    return decided(tx, { actor, before: withdrawal, action: 'withdrawals.ask' });
  }
  // A missing signature is written as null: an earlier denied or expired request may have stored one.
  await pay(tx, withdrawal, { decidedBy: actor.id, signature: signature ?? null });
  return decided(tx, { actor, before: withdrawal, action: 'withdrawals.approve' });
}

/** Returns the held amount; a request for a second approval becomes void. */
export async function rejectWithdrawal(tx: Tx, { actor, id, reason }: { actor: Actor; id: string; reason: string }) {
  const withdrawal = await lockPending(tx, id);
  await updateDecided(tx, id, { status: 'Failed', decidedBy: actor.id, reason });
  await settle(tx, withdrawal, 'available');
  await withdrawRequest(tx, { kind: 'withdrawal', subjectId: id });
  return decided(tx, { actor, before: withdrawal, action: 'withdrawals.reject' });
}

/** The effect of an approved withdrawal: it is paid. */
export const withdrawalEffect: Effect = {
  async payloadOf(tx, id) {
    const withdrawal = await lockWithdrawal(tx, id);
    return withdrawal?.status === 'Pending' ? payloadOf(withdrawal) : undefined;
  },
  async apply(tx, { subjectId, requestedBy, decidedBy }) {
    const withdrawal = await lockPending(tx, subjectId);
    await refuseObstacles(tx, withdrawal);
    await pay(tx, withdrawal, { decidedBy, preparedBy: requestedBy });
    await announce(tx, { feature: 'withdrawals', id: subjectId });
  },
  signalsOf: selectSignals,
};

async function lockPending(tx: Tx, id: string) {
  const withdrawal = await lockWithdrawal(tx, id);
  if (!withdrawal) throw new Refusal('WithdrawalNotFound');
  const refusal = refuseDeciding(withdrawal);
  if (refusal) throw new Refusal(refusal);
  return withdrawal;
}

async function refuseObstacles(tx: Tx, { userUuid }: Withdrawal) {
  const { disabled, underMaintenance, gone, blacklisted } = await selectObstacles(tx, userUuid);
  if (disabled) throw new Refusal('WithdrawalsDisabled');
  if (underMaintenance) throw new Refusal('UnderMaintenance');
  if (gone) throw new Refusal('UserDeleted');
  if (blacklisted) throw new Refusal('UserBlacklisted');
}

/** Returns how much the administrator may move a day without a second approver, and how much of it is used. */
export const readDailyLimit = (db: Db, actor: Actor): Promise<DailyLimit> => readAloneLimit(db, actor, 'USD');

type Payment = { decidedBy: string; preparedBy?: string; signature?: string | null };

async function pay(tx: Tx, withdrawal: Withdrawal, payment: Payment) {
  await updateDecided(tx, withdrawal.id, { status: 'Completed', ...payment });
  await settle(tx, withdrawal, 'outside');
}

/** Pays or returns the held amount. Both have the same key, so that they exclude each other. */
function settle(tx: Tx, { id, userUuid: userId, amount }: Withdrawal, credit: 'outside' | 'available') {
  const key = { kind: 'withdrawal', causeId: id, part: 1 } as const;
  return post(tx, [{ ...key, userId, asset: 'USD', debit: 'held', credit, units: amount }]);
}

function payloadOf({ userUuid, user, amount, wallet, date, signature }: Withdrawal): Payload {
  return {
    userUuid,
    facts: [
      { key: 'user', value: user },
      { key: 'amount', value: writeFactAmount(amount, 'USD') },
      { key: 'wallet', value: wallet },
      { key: 'requestedAt', value: date.toISOString() },
      ...(signature === null ? [] : [{ key: 'signature' as const, value: signature }]),
    ],
  };
}

type Decision = { actor: Actor; before: Withdrawal; action: `withdrawals.${'approve' | 'ask' | 'reject'}` };

async function decided(tx: Tx, { actor, before, action }: Decision) {
  const withdrawal = await selectWithdrawal(tx, before.id);
  if (!withdrawal) throw new Error(`The withdrawal ${before.id} is gone from the transaction that decided it.`);
  await announce(tx, { feature: 'withdrawals', id: before.id });
  const details = { before: auditDetails(before), after: auditDetails(withdrawal) };
  await recordAudit(tx, { actorId: actor.id, action, subjectId: before.id, details });
  return { withdrawal };
}

const auditDetails = ({ status, amount, wallet, user, reason, signature, preparedBy }: Withdrawal) => ({
  user,
  amount: writeAmount(amount, 'USD'),
  wallet,
  status,
  ...(reason !== null && { reason }),
  ...(signature !== null && { signature }),
  ...(preparedBy !== null && { preparedBy }),
});
