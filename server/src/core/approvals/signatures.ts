import { createHash } from 'node:crypto';
import { type Assertion, signedText } from 'contract/approvals-signature.ts';
import { verifyAssertion } from '#server/core/auth/factors/assertion.ts';
import { hasPasskey, selectPasskeyByCredential, advanceSignCount } from '#server/core/auth/factors/passkey-queries.ts';
import type { Tx } from '#server/core/db/db.ts';
import { Refusal } from '#server/core/refusal.ts';

/** The challenge that a passkey signs to approve a request. */
export const approvalChallenge = (request: { id: string; digest: string }) =>
  createHash('sha256').update(signedText(request)).digest('base64url');

type Signing = { adminId: string; request: { id: string; digest: string }; assertion: Assertion | undefined };

/**
 * Stores the signature of an approver who has a passkey. Throws `SignatureRequired` without one, and `SignatureWrong`
 * if it is not of a passkey of theirs or not for this request.
 */
export async function storeSignature(tx: Tx, { adminId, request, assertion }: Signing) {
  if (!(await hasPasskey(tx, adminId))) return;
  if (!assertion) throw new Refusal('SignatureRequired');
  const passkey = await selectPasskeyByCredential(tx, assertion.credentialId);
  if (passkey?.adminId !== adminId) throw new Refusal('SignatureWrong');
  const count = await verifyAssertion(passkey, assertion, approvalChallenge(request));
  if (count === undefined || !(await advanceSignCount(tx, passkey.id, count))) throw new Refusal('SignatureWrong');
  await tx
    .insertInto('approvalSignature')
    .values({
      approvalId: request.id,
      passkeyId: passkey.id,
      authenticatorData: Buffer.from(assertion.authenticatorData, 'base64url'),
      clientData: Buffer.from(assertion.clientDataJSON, 'base64url'),
      signature: Buffer.from(assertion.signature, 'base64url'),
    })
    .execute();
}
