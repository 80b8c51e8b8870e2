import { type Asset, readAmount, writeAmount } from 'contract/core/money.ts';
import { requestApproval } from '#server/core/approvals/approvals.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Tx } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import { payloadOf, readExisting } from './adjust.ts';
import { type Adjustment, insertAdjustment, lockUser } from './adjust-queries.ts';
import { selectOwed } from './receivables.ts';

type Params = { actor: Actor; id: string; user: string; asset: Asset; amount: string; reason: string };

/**
 * Requests that the treasury bears what a user owes. It is an adjustment of the receivable account, which is posted when
 * a second approver approves it, whatever its amount.
 */
export async function requestWriteOff(tx: Tx, { actor, id, user: userId, asset, amount, reason }: Params) {
  const units = readAmount(amount, asset);
  if (units === undefined || units <= 0n) throw new Refusal('AmountInvalid');
  const user = await lockUser(tx, userId);
  if (!user) throw new Refusal('UserNotFound');
  const accounts = { account: 'receivable', otherAccount: 'treasury' } as const;
  const writeOff: Adjustment = { id, user, asset, units, ...accounts, reason };
  if (!(await insertAdjustment(tx, writeOff, actor.id))) return readExisting(tx, writeOff, actor);
  if ((await selectOwed(tx, userId, asset)) < units) throw new Refusal('ReceivableTooLow');
  const request = { kind: 'adjustment', subjectId: id, payload: payloadOf(writeOff), moves: { asset, units } } as const;
  await requestApproval(tx, { ...request, requestedBy: actor.id });
  const details = { adjustment: id, username: user.username, asset, amount: writeAmount(units, asset), reason };
  await recordAudit(tx, { actorId: actor.id, action: 'ledger.ask-write-off', subjectId: userId, details });
  return { id, state: 'waiting' as const };
}
