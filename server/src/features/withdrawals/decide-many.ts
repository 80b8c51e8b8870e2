import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { approveWithdrawal as approving, rejectWithdrawal as rejecting } from 'contract/withdrawals.ts';
import { inActorTransaction } from '#server/core/auth/actor-transaction.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Database } from '#server/core/db/db.ts';
import { problemFor } from '#server/core/http/problem.ts';
import { Refusal } from '#server/core/refusal.ts';
import { approveWithdrawal, rejectWithdrawal } from './decide.ts';
import { selectWithdrawal } from './queries.ts';

type Many = {
  actor: Actor;
  ids: string[];
  rejectedFor?: string | undefined;
  /** Told of what nobody expected; the caller is told that it failed. */
  onFault: (error: unknown) => void;
};

/** Each in a transaction of its own: what is refused for one does not undo the others. */
export async function decideWithdrawals(database: Database, { ids, ...decision }: Many) {
  const outcome = { done: 0, asked: 0, refused: [] as { id: string; user: string | null; error: string }[] };
  for (const id of new Set(ids)) {
    const { withdrawal, error } = await decideOne(database, { ...decision, id });
    if (error !== undefined) outcome.refused.push({ id, user: await nameOf(database, id), error });
    else if (withdrawal?.status === 'Pending') outcome.asked += 1;
    else outcome.done += 1;
  }
  return outcome;
}

/** A name is worth no more than the outcome of all the others. */
const nameOf = (database: Database, id: string) =>
  selectWithdrawal(database, id).then(
    (withdrawal) => withdrawal?.user ?? null,
    () => null,
  );

type One = Omit<Many, 'ids'> & { id: string };

/** Whatever happens to one, a busy database too, is told of that one: what was done before it is not hidden by it. */
async function decideOne(database: Database, { actor, id, rejectedFor: reason, onFault }: One) {
  const endpoint = reason === undefined ? approving : rejecting;
  // Sent again, each is answered as it was: those that were done are counted again and not done again.
  const { once } = actor;
  const acting = once ? { ...actor, once: { ...once, key: `${once.key} ${id}`, schema: endpoint.answer } } : actor;
  try {
    const { withdrawal } = await inActorTransaction(database, acting, (tx) =>
      reason === undefined ? approveWithdrawal(tx, { actor, id }) : rejectWithdrawal(tx, { actor, id, reason }),
    );
    return { withdrawal, error: undefined };
  } catch (error) {
    if (error instanceof Refusal && error.code === 'SignInRequired') throw error;
    const words = problemFor(error, endpoint)?.error;
    if (words === undefined) onFault(error);
    return { withdrawal: undefined, error: words ?? anyCallRefusals[500].Unexpected };
  }
}
