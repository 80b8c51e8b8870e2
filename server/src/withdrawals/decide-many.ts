import { approveWithdrawal as approving, rejectWithdrawal as rejecting } from 'contract/withdrawals.ts';
import { actingAs } from '#server/auth/acting.ts';
import type { Actor } from '#server/auth/sessions.ts';
import type { Database } from '#server/db/db.ts';
import { problemFor } from '#server/http/problem.ts';
import { Refusal } from '#server/http/refusal.ts';
import { approveWithdrawal, rejectWithdrawal } from './decide.ts';
import { selectWithdrawal } from './queries.ts';

type Many = { actor: Actor; ids: string[]; rejectedFor?: string | undefined };

/** Each in a transaction of its own: what is refused for one does not undo the others. */
export async function decideWithdrawals(database: Database, { actor, ids, rejectedFor }: Many) {
  const outcome = { done: 0, asked: 0, refused: [] as { id: string; user: string | null; error: string }[] };
  for (const id of new Set(ids)) {
    const { withdrawal, error } = await decideOne(database, { actor, id, rejectedFor });
    if (error !== undefined) {
      outcome.refused.push({ id, user: (await selectWithdrawal(database, id))?.user ?? null, error });
    } else if (withdrawal?.status === 'Pending') outcome.asked += 1;
    else outcome.done += 1;
  }
  return outcome;
}

type One = { actor: Actor; id: string; rejectedFor: string | undefined };

async function decideOne(database: Database, { actor, id, rejectedFor: reason }: One) {
  try {
    const { withdrawal } = await actingAs(database, actor, (tx) =>
      reason === undefined ? approveWithdrawal(tx, { actor, id }) : rejectWithdrawal(tx, { actor, id, reason }),
    );
    return { withdrawal, error: undefined };
  } catch (error) {
    const words = wordsOf(error, reason === undefined);
    if (words === undefined) throw error;
    return { withdrawal: undefined, error: words };
  }
}

/** Undefined for what ends all of them: a fault, or a session that is over. */
function wordsOf(error: unknown, isApproval: boolean) {
  if (!(error instanceof Refusal) || error.code === 'SignInRequired') return undefined;
  return problemFor(error, isApproval ? approving : rejecting)?.error;
}
