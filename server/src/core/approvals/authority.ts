import type { Actor } from '#server/core/auth/sessions.ts';
import type { Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { type Effect, requestApproval, withdrawRequest } from './approvals.ts';
import type { Payload } from './payload.ts';
import { insertAuthority, lockAuthority, type NewAuthority, voidRequestsWithoutPermission } from './queries.ts';

type Given = { adminId: string; username: string; cause: NewAuthority['cause']; givenBy: Pick<Actor, 'id'> };

/**
 * Records that an administrator gave an account its right to approve, and requests that another approver confirms it.
 * Until then, or for 72 hours, the account cannot approve: otherwise one administrator could be both pairs of eyes.
 */
export async function giveAuthority(tx: Tx, { adminId, username, cause, givenBy }: Given) {
  const subject = { kind: 'account', subjectId: adminId } as const;
  await withdrawRequest(tx, subject);
  const payload = payloadOf({ username, cause });
  const approvalId = await requestApproval(tx, { ...subject, payload, requestedBy: givenBy.id });
  await insertAuthority(tx, { adminId, cause, givenBy: givenBy.id, approvalId });
}

/** Voids the waiting requests that the administrator may no longer make. */
export async function voidRequestsOf(tx: Tx, adminId: string) {
  for (const id of await voidRequestsWithoutPermission(tx, adminId)) await announce(tx, { feature: 'approvals', id });
}

/** The effect of a confirmed account. Nothing is left to do: the approval itself lets the account approve. */
export const accountEffect: Effect = {
  async payloadOf(tx, adminId) {
    const given = await lockAuthority(tx, adminId);
    return given && payloadOf(given);
  },
  apply: (tx, { subjectId }) => announce(tx, { feature: 'admins', id: subjectId }),
};

const payloadOf = ({ username, cause }: Pick<Given, 'username' | 'cause'>): Payload => ({
  userUuid: null,
  facts: [
    { key: 'administrator', value: username },
    { key: 'authority', value: cause },
  ],
});
