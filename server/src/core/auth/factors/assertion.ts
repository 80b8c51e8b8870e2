import { verifyAuthenticationResponse } from '@simplewebauthn/server';
import type { Assertion } from 'contract/approvals-signature.ts';
import type { Tx } from '#server/core/db/db.ts';
import { consumeChallenge, isValidChallenge } from './challenges.ts';
import { advanceSignCount, type StoredPasskey, selectPasskeyByCredential } from './passkey-queries.ts';

type Signed = Pick<StoredPasskey, 'credentialId' | 'publicKey' | 'rpId'>;

/** Returns what the browser says that it signed. Undefined if it is no such object. */
export function clientDataOf(clientDataJSON: string) {
  try {
    const data = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as Record<string, unknown>;
    const { challenge, origin } = data;
    return typeof challenge === 'string' && typeof origin === 'string' ? { challenge, origin } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a page of this origin may use passkeys of the domain. Browsers also allow subdomains, which may be others' pages. */
export function originMatchesRpId(origin: string, rpId: string) {
  const { protocol, hostname } = URL.parse(origin) ?? {};
  const isSecure = protocol === 'https:' || hostname === 'localhost';
  return isSecure && hostname === rpId;
}

/**
 * Whether the passkey signed this challenge, after its holder was verified by a fingerprint, a PIN or the like. Returns
 * the counter of the authenticator, or undefined.
 */
export async function verifyAssertion(passkey: Signed, assertion: Assertion, challenge: string) {
  const client = clientDataOf(assertion.clientDataJSON);
  if (!client || !originMatchesRpId(client.origin, passkey.rpId)) return undefined;
  const { credentialId: id, authenticatorData, clientDataJSON, signature } = assertion;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { authenticatorData, clientDataJSON, signature },
      },
      expectedChallenge: challenge,
      expectedOrigin: client.origin,
      expectedRPID: passkey.rpId,
      requireUserVerification: true,
      // The counter is compared in the database, so that concurrent sign-ins cannot use the same one.
      credential: { id: passkey.credentialId, publicKey: Uint8Array.from(passkey.publicKey), counter: 0 },
    });
    return verified && id === passkey.credentialId ? authenticationInfo.newCounter : undefined;
  } catch {
    // The library throws for everything that does not fit.
    return undefined;
  }
}

/** Whether a passkey of the administrator signed a challenge of ours for signing in. Uses up the challenge. */
export async function consumeAssertion(tx: Tx, adminId: string, assertion: Assertion) {
  const challenge = clientDataOf(assertion.clientDataJSON)?.challenge ?? '';
  if (!isValidChallenge('login', challenge)) return false;
  const passkey = await selectPasskeyByCredential(tx, assertion.credentialId);
  if (passkey?.adminId !== adminId) return false;
  const count = await verifyAssertion(passkey, assertion, challenge);
  if (count === undefined || !(await consumeChallenge(tx, challenge))) return false;
  return advanceSignCount(tx, passkey.id, count);
}
