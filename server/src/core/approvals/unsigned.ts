import type { Finding } from 'contract/audit-verification.ts';
import { sql } from 'kysely';
import { named } from '#server/core/audit/coverage.ts';
import { verifyAssertion } from '#server/core/auth/factors/assertion.ts';
import { publicKeyHash } from '#server/core/auth/factors/passkeys.ts';
import type { Db } from '#server/core/db/db.ts';
import { approvalChallenge } from './signatures.ts';

type Change = {
  seq: bigint;
  adminId: string;
  passkeyId: string;
  added: boolean;
  publicKey: string | null;
  rpId: string | null;
};

type Approved = {
  id: string;
  digest: string;
  adminId: string;
  /** The audit row of the decision, if there is one. */
  seq: bigint | null;
  passkeyId: string | null;
  credentialId: string;
  publicKey: Buffer;
  authenticatorData: Buffer;
  clientData: Buffer;
  signature: Buffer;
};

/** The finding of a verification of the audit log about approvals that no passkey signed. */
export async function findUnsigned(db: Db): Promise<Finding[]> {
  const ids = await findUnsignedApprovals(db);
  return ids.length > 0 ? [named('approval-unsigned', ids)] : [];
}

/**
 * Returns the approvals of administrators with a passkey that no passkey of theirs has signed. It trusts only the audit
 * log, which must have been verified: who had which passkey, and when, is read from there and not from the tables.
 */
export async function findUnsignedApprovals(db: Db) {
  const changes = await selectPasskeyChanges(db);
  const holders = [...new Set(changes.map(({ adminId }) => adminId))];
  const unsigned: string[] = [];
  for (const approval of await selectApproved(db, holders)) {
    const own = changes.filter(({ adminId }) => adminId === approval.adminId);
    const needsNone = approval.seq !== null && !hadPasskeyAt(own, approval.seq);
    if (!needsNone && !(await isSigned(approval, own))) unsigned.push(approval.id);
  }
  return unsigned;
}

/** A recovery removes the passkeys of another administrator, so the holder of a passkey is the one who added it. */
async function selectPasskeyChanges(db: Db) {
  const { rows } = await sql<Change>`
    select entry.seq, added.actor_id as "adminId", entry.subject_id as "passkeyId",
      entry.action = 'auth.add-passkey' as added,
      entry.details::jsonb->>'publicKey' as "publicKey", entry.details::jsonb->>'rpId' as "rpId"
    from audit_entry as entry join audit_entry as added
      on added.subject_id = entry.subject_id and added.action = 'auth.add-passkey'
    where entry.action in ('auth.add-passkey', 'auth.remove-passkey') order by entry.seq`.execute(db);
  return rows;
}

/** Approvals by a second or the only administrator. Those within a limit are not decisions of one. */
async function selectApproved(db: Db, adminIds: readonly string[]) {
  const { rows } = await sql<Approved>`
    select approval.id, approval.digest, decided_by as "adminId", entry.seq, signature.passkey_id as "passkeyId",
      passkey.credential_id as "credentialId", passkey.public_key as "publicKey",
      signature.authenticator_data as "authenticatorData", signature.client_data as "clientData", signature.signature
    from approval
    left join lateral (
      select min(seq) as seq from audit_entry
      where actor_id = decided_by and action = 'approvals.approve' and subject_id = approval.subject_id::text
        and details::jsonb->>'approval' = approval.id::text
    ) as entry on true
    left join approval_signature as signature on signature.approval_id = approval.id
    left join passkey on passkey.id = signature.passkey_id
    where state = 'approved' and rule in ('second', 'single') and decided_by = any(${adminIds}::uuid[])
    order by approval.requested_at`.execute(db);
  return rows;
}

/** Whether the administrator had a passkey when the audit row was written. */
function hadPasskeyAt(changes: readonly Change[], seq: bigint) {
  const held = new Set<string>();
  for (const change of changes) {
    if (change.seq > seq) break;
    if (change.added) held.add(change.passkeyId);
    else held.delete(change.passkeyId);
  }
  return held.size > 0;
}

async function isSigned(approval: Approved, changes: readonly Change[]) {
  const { seq, passkeyId, publicKey, credentialId, authenticatorData, clientData, signature } = approval;
  const added = changes.find((change) => change.added && change.passkeyId === passkeyId);
  const removed = changes.find((change) => !change.added && change.passkeyId === passkeyId);
  const wasHeld =
    seq !== null && added !== undefined && added.seq < seq && (removed === undefined || removed.seq > seq);
  if (!wasHeld || !added.rpId || added.publicKey !== publicKeyHash(publicKey)) return false;
  const assertion = {
    credentialId,
    authenticatorData: authenticatorData.toString('base64url'),
    clientDataJSON: clientData.toString('base64url'),
    signature: signature.toString('base64url'),
  };
  const passkey = { credentialId, publicKey, rpId: added.rpId };
  return (await verifyAssertion(passkey, assertion, approvalChallenge(approval))) !== undefined;
}
