import { writeFactAmount } from 'contract/approvals-facts.ts';
import { writeAmount } from 'contract/core/money.ts';
import {
  failureNeedsApproval,
  isFinal,
  isLateSending,
  type OpenState,
  type Outcome,
  refuseSettling,
} from 'contract/withdrawal-states.ts';
import type { Withdrawal } from 'contract/withdrawals.ts';
import { z } from 'zod';
import { requestApproval, withdrawRequest } from '#server/core/approvals/approvals.ts';
import type { Payload } from '#server/core/approvals/payload.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { post } from '#server/core/ledger/ledger.ts';
import { platformId } from '#server/core/platform-id.ts';
import { Refusal } from '#server/core/refusal.ts';
import { lockWithdrawal, selectWithdrawal } from './queries.ts';
import { recordWithdrawalEvent } from './withdrawal-events.ts';
import { type Reporter, selectOpen, updateOutcome, updateReason } from './settlement-queries.ts';

export type Report = { outcome: Outcome; reference?: string | undefined; reason?: string | undefined };

/**
 * Records the outcome of an approved withdrawal, as an administrator reports it. A failure of one that may have been sent
 * needs a second approver: the money returns to the user, so a false report would pay twice. The same report again
 * changes nothing; a contradicting one is refused.
 */
export async function settleWithdrawal(tx: Tx, { actor, id, ...report }: Report & { actor: Actor; id: string }) {
  const before = await lockOrRefuse(tx, id);
  if (isRepeated(before, report)) return { withdrawal: before };
  refuseReport(before, { ...report, by: 'administrator' });
  if (report.outcome === 'failed' && failureNeedsApproval(before)) {
    return requestFailure(tx, { actor, before, reason: report.reason ?? '' });
  }
  await settle(tx, { before, report, reporter: { source: 'administrator', adminId: actor.id } });
  return recorded(tx, { actor, before, action: `withdrawals.${report.outcome}` });
}

/**
 * Records what became of a withdrawal that the platform was asked to send. Refuses with WithdrawalNotFound, NotAsked and
 * the codes of `settlementRefusals`. The same report again changes nothing; a contradicting one is refused. A failure
 * needs no second approver: it comes from the sender and not from an administrator who could gain from it.
 */
export async function reportFromPlatform(
  tx: Tx,
  { apiKeyId, id, ...report }: Report & { apiKeyId: string; id: string },
) {
  const before = await lockByPlatformOrEventId(tx, id);
  if (before.askedAt === null) throw new Refusal('NotAsked');
  if (isRepeated(before, report)) return { withdrawal: before };
  refuseReport(before, { ...report, by: 'platform' });
  await settle(tx, { before, report, reporter: { source: 'platform', adminId: null } });
  return recorded(tx, { actor: null, apiKeyId, before, action: `withdrawals.${report.outcome}` });
}

/** Locks the withdrawal that the platform names by its own id, or by the id of the events. */
async function lockByPlatformOrEventId(tx: Tx, id: string) {
  const withdrawal = await lockWithdrawal(tx, platformId('withdrawal', id));
  if (withdrawal) return withdrawal;
  if (!z.uuid().safeParse(id).success) throw new Refusal('WithdrawalNotFound');
  return lockOrRefuse(tx, id);
}

async function lockOrRefuse(tx: Tx, id: string) {
  const withdrawal = await lockWithdrawal(tx, id);
  if (!withdrawal) throw new Refusal('WithdrawalNotFound');
  return withdrawal;
}

/** Whether the report repeats what is recorded. A late repeat of "sent" also matches a withdrawal confirmed since. */
function isRepeated({ state, sentAt, unknownAt, ...known }: Withdrawal, { outcome, reference }: Report) {
  if (reference !== undefined && reference !== known.reference) return false;
  switch (outcome) {
    case 'sent':
      return sentAt !== null;
    case 'unknown':
      return unknownAt !== null;
    case 'confirmed':
    case 'failed':
      return state === outcome;
  }
}

function refuseReport(withdrawal: Withdrawal, report: Report & { by: 'administrator' | 'platform' }) {
  const refusal = refuseSettling(withdrawal, report);
  if (refusal) throw new Refusal(refusal);
  const { outcome, reference, reason } = report;
  if (withdrawal.sentAt && (reference ?? withdrawal.reference) !== withdrawal.reference) {
    throw new Refusal('ReferenceDiffers');
  }
  const needsReference = outcome === 'sent' || outcome === 'confirmed';
  if (needsReference && referenceAfter(withdrawal, report) === null) throw new Refusal('ReferenceRequired');
  if (outcome === 'failed' && reason === undefined) throw new Refusal('ReasonRequired');
}

const referenceAfter = ({ reference: known }: Withdrawal, { reference }: Report) => reference ?? known;

type Settlement = { before: Withdrawal; report: Report; reporter: Reporter };

/**
 * Stores the outcome, and moves the held amount if it is final. A request to record a failure becomes void if it is, or if
 * the platform names the transaction meanwhile.
 */
async function settle(tx: Tx, { before, report, reporter }: Settlement) {
  const { outcome, reason } = report;
  const { id } = before;
  const isLate = reporter.source === 'platform' && isLateSending(before, { outcome, by: 'platform' });
  const state = isLate ? before.state : outcome;
  await updateOutcome(tx, id, { ...reporter, outcome, state, reference: referenceAfter(before, report), reason });
  if (outcome === 'confirmed') await postOutcome(tx, before, 'outside');
  if (outcome === 'failed') await postOutcome(tx, before, 'available');
  if (outcome === 'confirmed' || outcome === 'failed') {
    await recordWithdrawalEvent(tx, id, `withdrawal.${outcome}`);
  }
  if (isLate || isFinal(state)) await withdrawRequest(tx, { kind: 'withdrawal', subjectId: id });
}

type Failure = { actor: Actor; before: Withdrawal; reason: string };

async function requestFailure(tx: Tx, { actor, before, reason }: Failure) {
  const { id: subjectId, amount: units } = before;
  if (before.waitsUntil) throw new Refusal('ApprovalWaiting');
  await updateReason(tx, subjectId, reason);
  const payload = failurePayloadOf({ ...before, reason });
  const moves = { asset: 'USD', units } as const;
  await requestApproval(tx, { kind: 'withdrawal', subjectId, payload, moves, requestedBy: actor.id });
  return recorded(tx, { actor, before, action: 'withdrawals.ask-failure' });
}

/** Records a failure that a second approver has confirmed. */
export async function applyApprovedFailure(
  tx: Tx,
  withdrawal: Withdrawal,
  { requestedBy, decidedBy }: { requestedBy: string; decidedBy: string },
) {
  const { id, reference } = withdrawal;
  const reporter = { source: 'administrator', adminId: decidedBy } as const;
  await updateOutcome(tx, id, { ...reporter, outcome: 'failed', state: 'failed', reference, requestedBy });
  await postOutcome(tx, withdrawal, 'available');
  await recordWithdrawalEvent(tx, id, 'withdrawal.failed');
}

/** Pays or returns the held amount. Both have the same key, so that they exclude each other. */
export function postOutcome(tx: Tx, { id, userUuid: userId, amount }: Withdrawal, credit: 'outside' | 'available') {
  const key = { kind: 'withdrawal', causeId: id, part: 1 } as const;
  return post(tx, [{ ...key, userId, asset: 'USD', debit: 'held', credit, units: amount }]);
}

export function payloadOf({ userUuid, user, amount, wallet, date, reference }: Withdrawal): Payload {
  return {
    userUuid,
    facts: [
      { key: 'user', value: user },
      { key: 'amount', value: writeFactAmount(amount, 'USD') },
      { key: 'wallet', value: wallet },
      { key: 'requestedAt', value: date.toISOString() },
      ...(reference === null ? [] : [{ key: 'signature' as const, value: reference }]),
    ],
  };
}

export function failurePayloadOf(withdrawal: Withdrawal): Payload {
  const { userUuid, facts } = payloadOf(withdrawal);
  return {
    userUuid,
    facts: [{ key: 'outcome', value: 'failed' }, ...facts, { key: 'reason', value: withdrawal.reason ?? '' }],
  };
}

type Recorded = {
  /** Null if the platform acts, with its API key. */
  actor: Actor | null;
  apiKeyId?: string;
  before: Withdrawal;
  action: `withdrawals.${'approve' | 'ask' | 'reject' | 'ask-failure' | Outcome}`;
};

/** Announces and audits a change of a withdrawal, and returns it as it is now. */
export async function recorded(tx: Tx, { actor, apiKeyId, before, action }: Recorded) {
  const withdrawal = await selectWithdrawal(tx, before.id);
  if (!withdrawal) throw new Error(`The withdrawal ${before.id} is gone from the transaction that changed it.`);
  await announce(tx, { feature: 'withdrawals', id: before.id });
  await recordAudit(tx, {
    actorId: actor?.id ?? null,
    ...(apiKeyId !== undefined && { apiKeyId }),
    action,
    subjectId: before.id,
    details: { before: auditDetails(before), after: auditDetails(withdrawal) },
  });
  return { withdrawal };
}

const auditDetails = ({ status, state, amount, wallet, user, reason, reference, preparedBy }: Withdrawal) => ({
  user,
  amount: writeAmount(amount, 'USD'),
  wallet,
  status,
  state,
  ...(reason !== null && { reason }),
  ...(reference !== null && { reference }),
  ...(preparedBy !== null && { preparedBy }),
});

/** Returns how many approved withdrawals wait for their outcome in each state. */
export async function readSettlement(db: Db) {
  const sums = await selectOpen(db);
  const sumOf = (state: OpenState) => {
    const { count = 0n, amount = 0n, oldest = null } = sums.find((sum) => sum.state === state) ?? {};
    return { count: Number(count), amount, oldest };
  };
  return { settlement: { approved: sumOf('approved'), sent: sumOf('sent'), unknown: sumOf('unknown') } };
}
