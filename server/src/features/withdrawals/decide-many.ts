import { anyCallRefusals } from 'contract/core/endpoint.ts';
import { approveWithdrawal as approving, rejectWithdrawal as rejecting } from 'contract/withdrawals.ts';
import { z } from 'zod';
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
  /** Receives unexpected errors; the response only says that the decision failed. */
  onFault: (error: unknown) => void;
};

/** Decides each withdrawal in its own transaction, so that a refusal does not undo the others. */
export async function decideWithdrawals(database: Database, { ids, ...decision }: Many) {
  await claimKey(database, decision.actor);
  const outcome = { done: 0, requested: 0, refused: [] as { id: string; user: string | null; error: string }[] };
  for (const id of new Set(ids)) {
    const { withdrawal, error } = await decideOne(database, { ...decision, id });
    if (error !== undefined) outcome.refused.push({ id, user: await nameOf(database, id), error });
    else if (withdrawal?.state === 'requested') outcome.requested += 1;
    else outcome.done += 1;
  }
  return outcome;
}

/** Refuses a key that was used for other withdrawals. The answer for each one is stored with its decision. */
async function claimKey(database: Database, { once, ...actor }: Actor) {
  if (!once) return;
  const claim = { ...actor, once: { ...once, schema: z.object({}) } };
  await inActorTransaction(database, claim, async () => ({}));
}

/** Returns null if the name cannot be read, because the outcome of the others must not be lost. */
const nameOf = (database: Database, id: string) =>
  selectWithdrawal(database, id).then(
    (withdrawal) => withdrawal?.user ?? null,
    () => null,
  );

type One = Omit<Many, 'ids'> & { id: string };

/**
 * Returns any failure, even of the database, as the outcome of this withdrawal, so that earlier outcomes are not lost.
 * Only SignInRequired is thrown.
 */
async function decideOne(database: Database, { actor, id, rejectedFor: reason, onFault }: One) {
  const endpoint = reason === undefined ? approving : rejecting;
  // Each withdrawal has its own idempotency key: a repeated request returns the same outcome and decides nothing twice.
  const { once } = actor;
  const acting = once ? { ...actor, once: { ...once, key: `${once.key} ${id}`, schema: endpoint.answer } } : actor;
  try {
    const { withdrawal } = await inActorTransaction(database, acting, (tx) =>
      reason === undefined ? approveWithdrawal(tx, { actor, id }) : rejectWithdrawal(tx, { actor, id, reason }),
    );
    return { withdrawal, error: undefined };
  } catch (error) {
    if (error instanceof Refusal && error.code === 'SignInRequired') throw error;
    const message = problemFor(error, endpoint)?.error;
    if (message === undefined) onFault(error);
    return { withdrawal: undefined, error: message ?? anyCallRefusals[500].Unexpected };
  }
}
