import { brokenConstraint, type Tx } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import type { Posting } from './posting.ts';
import { insertReversal, insertTransfers } from './queries.ts';

/**
 * Posts transfers. Refuses a negative balance with BalanceTooLow, and one of what a user owes with ReceivableTooLow; the
 * database rejects a transfer whose key was posted before. Only this function, `reverse`, lines.ts and receivables.ts
 * move money.
 */
export async function post(tx: Tx, postings: Posting[]) {
  await insertTransfers(tx, postings).catch(refuseLowBalance);
}

/**
 * Posts the opposite of a transfer of a kind that is paid once. Fails if there is none, or if it was reversed before.
 */
export async function reverse(tx: Tx, posted: Pick<Posting, 'kind' | 'causeId' | 'part'>) {
  const reversed = await insertReversal(tx, posted).catch(refuseLowBalance);
  if (reversed === 0) throw new Error(`No ${posted.kind} was posted for ${posted.causeId}, part ${posted.part}.`);
}

function refuseLowBalance(error: unknown): never {
  const constraint = brokenConstraint(error);
  if (constraint?.startsWith('user_total_receivable_')) throw new Refusal('ReceivableTooLow');
  throw constraint?.startsWith('user_total_') ? new Refusal('BalanceTooLow') : error;
}
