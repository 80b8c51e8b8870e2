import { verifyAuthenticationResponse } from '@simplewebauthn/server';
import type { Assertion } from 'contract/approvals-signature.ts';
import type { StoredPasskey } from './passkey-queries.ts';

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

/** Whether a page of this origin may use passkeys of the domain. The browser checks the same before it signs. */
export function belongsTo(origin: string, rpId: string) {
  const { protocol, hostname } = URL.parse(origin) ?? {};
  const isSecure = protocol === 'https:' || hostname === 'localhost';
  return isSecure && (hostname === rpId || (hostname ?? '').endsWith(`.${rpId}`));
}

/**
 * Whether the passkey signed this challenge, after its holder was verified by a fingerprint, a PIN or the like. Returns
 * the counter of the authenticator, or undefined.
 */
export async function verifyAssertion(passkey: Signed, assertion: Assertion, challenge: string) {
  const client = clientDataOf(assertion.clientDataJSON);
  if (!client || !belongsTo(client.origin, passkey.rpId)) return undefined;
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
