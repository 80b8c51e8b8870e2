import { sql } from 'kysely';
import { type Effect, requestApproval } from '#server/core/approvals/approvals.ts';
import type { Payload } from '#server/core/approvals/payload.ts';
import { findUnsealed } from '#server/core/audit/record-seals.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import { openSecret } from '#server/core/sealed-secret.ts';
import { insertReveal, openReveal, selectCurrentReveal, selectOpened, selectReveal } from './key-reveal-queries.ts';
import { lockUser, selectUser } from './queries.ts';

type NewReveal = { actor: Actor; id: string; reason: string };

/** Requests to reveal the private key of a user. An administrator has one open request for each user. */
export async function requestKeyReveal(tx: Tx, { actor, id: userId, reason }: NewReveal) {
  const user = (await lockUser(tx, userId)) && (await selectUser(tx, userId));
  if (!user) throw new Refusal('UserNotFound');
  if (!user.holdsPrivateKey) throw new Refusal('NoPrivateKey');
  const own = { userId, adminId: actor.id };
  if (await selectCurrentReveal(tx, own)) throw new Refusal('RevealRequested');

  const { username } = user;
  const subjectId = await insertReveal(tx, { userId, requestedBy: actor.id, reason });
  const payload = payloadOf({ userId, username, reason });
  await requestApproval(tx, { kind: 'reveal', subjectId, payload, requestedBy: actor.id });
  const reveal = await selectCurrentReveal(tx, own);
  if (!reveal) throw new Error(`The request ${subjectId} is gone from the transaction that made it.`);
  const details = { reason, approval: reveal.approval };
  await recordAudit(tx, { actorId: actor.id, action: 'users.request-key', subjectId: userId, details });
  return { reveal };
}

export async function readKeyReveal(db: Db, { actor, id: userId }: { actor: Actor; id: string }) {
  if (!(await selectUser(db, userId))) throw new Refusal('UserNotFound');
  return { reveal: (await selectCurrentReveal(db, { userId, adminId: actor.id })) ?? null };
}

/** The effect of an approved request. The approval itself lets its requester open the key. */
export const revealEffect: Effect = {
  async payloadOf(tx, id) {
    const reveal = await selectReveal(tx, id);
    return reveal && payloadOf(reveal);
  },
  async apply(tx, { subjectId }) {
    const reveal = await selectReveal(tx, subjectId);
    if (!reveal) throw new Refusal('ApprovalVoid');
    await announce(tx, { feature: 'users', id: reveal.userId });
  },
};

const payloadOf = ({ userId, username, reason }: { userId: string; username: string; reason: string }): Payload => ({
  userUuid: userId,
  facts: [
    { key: 'user', value: username },
    { key: 'reason', value: reason },
  ],
});

type Opening = { actor: Actor; id: string; secretsKey: Buffer };

/** Returns the private key of an approved request, once. It is not consumed if the key cannot be decrypted. */
export async function openKey(tx: Tx, { actor, id, secretsKey }: Opening) {
  const sealed = await openReveal(tx, { id, adminId: actor.id });
  // A key that was shown stays known, so an approval that was only written to the database is not enough.
  const forged = await findUnsealed(tx, 'approval', sql`it.kind = 'reveal' and it.subject_id = ${id}::uuid`);
  if (forged.length > 0) throw new Refusal('RevealNotApproved');
  const [opened] = await selectOpened(tx, id);
  if (!opened) throw new Error(`The request ${id} is gone from the transaction that opened it.`);
  const { userUuid, reason, approvedBy } = opened;
  const place = { table: 'user_secret', id: userUuid, column: 'sol_private_key' } as const;
  const privateKey = openSecret(secretsKey, place, sealed);
  await announce(tx, { feature: 'users', id: userUuid });
  const details = { reason, approvedBy };
  await recordAudit(tx, { actorId: actor.id, action: 'users.open-key', subjectId: userUuid, details });
  return { privateKey };
}

export async function listOpenedKeys(db: Db) {
  const opened = await selectOpened(db);
  return {
    opened: opened.map(({ userUuid, userId, username, ...rest }) => ({
      ...rest,
      user: { id: userUuid, userId, username },
    })),
  };
}
