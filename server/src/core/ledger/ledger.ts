import { brokenConstraint, type Tx } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';
import type { Posting } from './posting.ts';
import { insertReversal, insertTransfers, selectParts } from './queries.ts';

/** The only way to move money. What was posted under the same key before makes the database refuse it. */
export async function post(tx: Tx, postings: Posting[]) {
  await insertTransfers(tx, postings).catch(refuseLowBalance);
}

/** Takes back what was posted for this cause, by a transfer the other way. It can be taken back once. */
export async function reverse(tx: Tx, posted: Pick<Posting, 'kind' | 'causeId' | 'part'>) {
  const reversed = await insertReversal(tx, posted).catch(refuseLowBalance);
  if (reversed === 0) throw new Error(`No ${posted.kind} was posted for ${posted.causeId}, part ${posted.part}.`);
}

/** The part under which a cause that can be paid again and again is paid next. The caller holds the cause's lock. */
export async function nextPart(tx: Tx, cause: Pick<Posting, 'kind' | 'causeId'>) {
  return Number((await selectParts(tx, cause)).count);
}

function refuseLowBalance(error: unknown): never {
  throw brokenConstraint(error)?.startsWith('user_total_') ? new Refusal('BalanceTooLow') : error;
}
