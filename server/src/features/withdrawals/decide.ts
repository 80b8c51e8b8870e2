import { isOpen } from 'contract/withdrawal-states.ts';
import { type DailyLimit, refuseDeciding, refuseRejecting, type Withdrawal } from 'contract/withdrawals.ts';
import { sql } from 'kysely';
import { decideOrRequest, type Effect, requestApproval, withdrawRequest } from '#server/core/approvals/approvals.ts';
import { findUnsealed } from '#server/core/audit/record-seals.ts';
import { readAloneLimit } from '#server/core/approvals/limits.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import {
  lockWithdrawal,
  selectObstacles,
  selectSignals,
  updateApproved,
  updateReference,
  updateRejected,
} from './queries.ts';
import { applyApprovedFailure, failurePayloadOf, payloadOf, postOutcome, recorded } from './settlement.ts';
import { senders } from './sending.ts';
import { selectSettings } from './settings-queries.ts';
import { recordWithdrawalEvent } from './withdrawal-events.ts';

type Approval = { actor: Actor; id: string; reference?: string | null | undefined };

/**
 * Approves a withdrawal; above the daily limit of the administrator it requests a second approval instead. With the
 * reference of a transaction it was already sent and is confirmed. Without one, it is sent next.
 */
export async function approveWithdrawal(tx: Tx, { actor, id, reference = null }: Approval) {
  const withdrawal = await lockRequested(tx, id);
  if (withdrawal.waitsUntil) throw new Refusal('ApprovalWaiting');
  await refuseObstacles(tx, withdrawal);
  if (withdrawal.reference !== null && reference !== withdrawal.reference) throw new Refusal('AlreadySent');
  if ((await decideWithinLimit(tx, { actor, withdrawal, reference })) === 'requested') {
    await updateReference(tx, id, reference);
    return recorded(tx, { actor, before: withdrawal, action: 'withdrawals.ask' });
  }
  // A missing reference is written as null: a request that was denied may have stored one.
  await approve(tx, { ...withdrawal, reference }, { decidedBy: actor.id });
  return recorded(tx, { actor, before: withdrawal, action: 'withdrawals.approve' });
}

type Deciding = { actor: Actor; withdrawal: Withdrawal; reference: string | null };

/**
 * Decides within the daily limit. An earlier request that expired may have said that the withdrawal was already sent:
 * then it goes to a second approver at any amount, who can deny that.
 */
async function decideWithinLimit(tx: Tx, { actor, withdrawal, reference }: Deciding) {
  const payload = payloadOf({ ...withdrawal, reference });
  const moves = { asset: 'USD', units: withdrawal.amount } as const;
  const request = { kind: 'withdrawal', subjectId: withdrawal.id, payload, moves } as const;
  if (withdrawal.reference === null) return decideOrRequest(tx, { ...request, actor });
  await requestApproval(tx, { ...request, requestedBy: actor.id });
  return 'requested' as const;
}

/** Returns the held amount; a request for a second approval becomes void. */
export async function rejectWithdrawal(tx: Tx, { actor, id, reason }: { actor: Actor; id: string; reason: string }) {
  const withdrawal = await lockRequested(tx, id);
  const refusal = refuseRejecting(withdrawal);
  if (refusal) throw new Refusal(refusal);
  await updateRejected(tx, id, { decidedBy: actor.id, reason });
  await postOutcome(tx, withdrawal, 'available');
  await recordWithdrawalEvent(tx, id, 'withdrawal.rejected');
  await withdrawRequest(tx, { kind: 'withdrawal', subjectId: id });
  return recorded(tx, { actor, before: withdrawal, action: 'withdrawals.reject' });
}

/** The effect of a decision about a withdrawal: it is approved, or one that may have been sent is known to have failed. */
export const withdrawalEffect: Effect = {
  async payloadOf(tx, id) {
    const withdrawal = await lockWithdrawal(tx, id);
    if (withdrawal?.state === 'requested') return payloadOf(withdrawal);
    return withdrawal && isOpen(withdrawal.state) ? failurePayloadOf(withdrawal) : undefined;
  },
  async apply(tx, { subjectId, requestedBy, decidedBy }) {
    const withdrawal = await lockWithdrawal(tx, subjectId);
    if (withdrawal && isOpen(withdrawal.state)) await applyApprovedFailure(tx, withdrawal, { requestedBy, decidedBy });
    else {
      const requested = await lockRequested(tx, subjectId);
      await refuseObstacles(tx, requested);
      await approve(tx, requested, { decidedBy, preparedBy: requestedBy });
    }
    await announce(tx, { feature: 'withdrawals', id: subjectId });
  },
  signalsOf: selectSignals,
};

async function lockRequested(tx: Tx, id: string) {
  const withdrawal = await lockWithdrawal(tx, id);
  if (!withdrawal) throw new Refusal('WithdrawalNotFound');
  const refusal = refuseDeciding(withdrawal);
  if (refusal) throw new Refusal(refusal);
  return withdrawal;
}

async function refuseObstacles(tx: Tx, { id, userUuid }: Withdrawal) {
  const forged = await findUnsealed(tx, 'withdrawal-request', sql`it.id = ${id}::uuid`);
  if (forged.length > 0) throw new Refusal('WithdrawalForged');
  const { disabled, underMaintenance, gone, blacklisted } = await selectObstacles(tx, userUuid);
  if (disabled) throw new Refusal('WithdrawalsDisabled');
  if (underMaintenance) throw new Refusal('UnderMaintenance');
  if (gone) throw new Refusal('UserDeleted');
  if (blacklisted) throw new Refusal('UserBlacklisted');
}

/** Returns how much the administrator may move a day without a second approver, and how much of it is used. */
export const readDailyLimit = (db: Db, actor: Actor): Promise<DailyLimit> => readAloneLimit(db, actor, 'USD');

type Approver = { decidedBy: string; preparedBy?: string };

/** Approves a withdrawal. Without a reference, the sender of the settings is asked to send it. */
async function approve(tx: Tx, withdrawal: Withdrawal, approver: Approver) {
  const { id, reference } = withdrawal;
  const { mode } = await selectSettings(tx);
  await updateApproved(tx, id, { ...approver, mode, reference });
  if (reference === null) await senders[mode].ask(tx, withdrawal);
  else await postOutcome(tx, withdrawal, 'outside');
  await recordWithdrawalEvent(tx, id, 'withdrawal.approved');
  if (reference !== null) await recordWithdrawalEvent(tx, id, 'withdrawal.confirmed');
}
