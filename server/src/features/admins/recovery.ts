import { randomInt } from 'node:crypto';
import type { Admin } from 'contract/admins.ts';
import { NewPassword } from 'contract/auth.ts';
import { holds } from 'contract/core/permissions.ts';
import { sql } from 'kysely';
import { type Effect, requestApproval, waitingFor, withdrawRequest } from '#server/core/approvals/approvals.ts';
import { giveAuthority } from '#server/core/approvals/authority.ts';
import { digestOf, type Payload } from '#server/core/approvals/payload.ts';
import { insertAuthority } from '#server/core/approvals/queries.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import { findUnsealed } from '#server/core/audit/record-seals.ts';
import { resetFactors } from '#server/core/auth/factors/reset.ts';
import { preparePassword } from '#server/core/auth/service.ts';
import { endSessions } from '#server/core/auth/sessions.ts';
import { releaseIdentity } from '#server/core/auth/sso/queries.ts';
import { brokenConstraint, type Database, type Db, selectNow, type Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { Refusal } from '#server/core/refusal.ts';
import { lockAdmin, lockAdminByName } from './queries.ts';
import {
  insertRecovery,
  lockRecovery,
  selectRecoveries,
  selectWaitingReason,
  updateRecovered,
} from './recovery-queries.ts';

export async function listRecoveries(db: Db) {
  return { recoveries: await selectRecoveries(db) };
}

type Requested = { actorId: string; id: string; reason: string };

/** Requests the recovery of an administrator who is locked out. Changes nothing until another one approves it. */
export async function requestRecovery(tx: Tx, { actorId, id, reason }: Requested) {
  if (actorId === id) throw new Refusal('RecoveryOfOwnAccount');
  const admin = await lockAdmin(tx, id);
  if (!admin) throw new Refusal('AdminNotFound');
  const subject = { kind: 'recovery', subjectId: id } as const;
  const request = { ...subject, payload: payloadOf(admin, reason), requestedBy: actorId };
  const approvalId = await requestApproval(tx, request).catch((error: unknown) => {
    throw brokenConstraint(error) === 'approval_waiting' ? new Refusal('RecoveryWaits') : error;
  });
  await insertRecovery(tx, { adminId: id, reason, requestedBy: actorId, approvalId });
  await announce(tx, { feature: 'admins', id });
  await recordAudit(tx, { actorId, action: 'admins.request-recovery', subjectId: id, details: { reason } });
  return { waiting: await waitingFor(tx, subject) };
}

/** The effect of an approved recovery: its requester may complete it. The password does not exist before that. */
export const recoveryEffect: Effect = {
  async payloadOf(tx, id) {
    const admin = await lockAdmin(tx, id);
    const reason = await selectWaitingReason(tx, id);
    return admin && reason !== undefined ? payloadOf(admin, reason) : undefined;
  },
  apply: (tx, { subjectId }) => announce(tx, { feature: 'admins', id: subjectId }),
};

const payloadOf = ({ username, role }: Admin, reason: string): Payload => ({
  userUuid: null,
  facts: [
    { key: 'administrator', value: username },
    { key: 'role', value: role },
    { key: 'reason', value: reason },
  ],
});

/** About 98 bits, in letters and digits that look different on paper and sound different on the phone. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
const newGroup = () => Array.from({ length: 5 }, () => alphabet[randomInt(alphabet.length)]).join('');
const newTemporaryPassword = () => Array.from({ length: 4 }, newGroup).join('-');

type SetPassword = (tx: Tx, adminId: string) => Promise<unknown>;

/** Prepares a new temporary password. Hashes it before the transaction opens, because hashing is slow. */
export async function prepareTemporaryPassword() {
  const password = newTemporaryPassword();
  return { password, setPassword: await preparePassword({ password, username: '', temporary: true }) };
}

type Completed = { actorId: string; id: string; setPassword: SetPassword };

/**
 * Sets the temporary password of an approved recovery, once. The account cannot approve anything until the password is
 * changed and another approver has confirmed the account: until then, whoever got the password could use it.
 */
export async function completeRecovery(tx: Tx, { actorId, id, setPassword }: Completed) {
  const found = await lockRecovery(tx, { id, requestedBy: actorId });
  if (!found) throw new Refusal('RecoveryNotFound');
  if (found.recoveredAt) throw new Refusal('RecoveryCompleted');
  if (found.state !== 'approved') throw new Refusal('RecoveryNotApproved');
  if (found.hasExpired) throw new Refusal('RecoveryExpired');
  const admin = await lockAdmin(tx, found.adminId);
  if (!admin) throw new Refusal('RecoveryNotFound');
  const forged = await findUnsealed(tx, 'approval', sql`it.id = ${found.approvalId}::uuid`);
  if (forged.length > 0) throw new Refusal('RecoveryNotApproved');
  if (digestOf('recovery', admin.id, payloadOf(admin, found.reason ?? '')) !== found.digest)
    throw new Refusal('RecoveryOutdated');
  await updateRecovered(tx, id);
  await restoreAccess(tx, admin, { actorId, setPassword });
  if (holds(admin, 'money.approve')) {
    const { username } = admin;
    await giveAuthority(tx, { adminId: admin.id, username, cause: 'password', givenBy: { id: actorId } });
  }
  const details = { reason: found.reason, approvedBy: found.decidedBy };
  await recordAudit(tx, { actorId, action: 'admins.recover', subjectId: admin.id, details });
  return admin.username;
}

/** Recovers an administrator from the command line of the server. Throws if there is no such administrator. */
export async function recoverAdminFromOutside(
  database: Database,
  { username, password }: { username: string; password: string },
) {
  if (!NewPassword.safeParse(password).success) throw new Error('A password has 12 to 128 characters.');
  const setPassword = await preparePassword({ password, username, temporary: true });
  await database.transaction().execute(async (tx) => {
    const admin = await lockAdminByName(tx, username);
    if (!admin) throw new Error('There is no such administrator.');
    await withdrawRequest(tx, { kind: 'recovery', subjectId: admin.id });
    await insertRecovery(tx, { adminId: admin.id, recoveredAt: await selectNow(tx) });
    await restoreAccess(tx, admin, { actorId: null, setPassword });
    await withdrawRequest(tx, { kind: 'account', subjectId: admin.id });
    await insertAuthority(tx, { adminId: admin.id, cause: 'password', givenBy: null });
    await recordAudit(tx, { actorId: null, action: 'admins.recover', subjectId: admin.id });
  });
}

type Restored = { actorId: string | null; setPassword: SetPassword };

/** An administrator who is locked out may also have lost their second factors, and their account at the provider. */
async function restoreAccess(tx: Tx, { id }: Admin, { actorId, setPassword }: Restored) {
  await setPassword(tx, id);
  await resetFactors(tx, { actorId, adminId: id });
  await releaseIdentity(tx, id);
  await endSessions(tx, id);
  await announce(tx, { feature: 'admins', id });
}
