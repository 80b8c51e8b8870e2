import { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import { type Assertion, signedText } from 'contract/approvals-signature.ts';
import { listPasskeys, passkeyLogin, startPasskeyLogin } from 'contract/security-passkeys.ts';
import { call } from './call.ts';
import { startSession } from './session.ts';

const base64Url = (bytes: Uint8Array) =>
  btoa(String.fromCodePoint(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Returns undefined if the administrator canceled, or has no passkey here: browsers do not tell the two apart. */
async function signChallenge(challenge: string, credentialIds: readonly string[]): Promise<Assertion | undefined> {
  try {
    const { id, response } = await startAuthentication({
      optionsJSON: {
        challenge,
        rpId: window.location.hostname,
        userVerification: 'required',
        allowCredentials: credentialIds.map((credential) => ({ id: credential, type: 'public-key' })),
      },
    });
    const { authenticatorData, clientDataJSON, signature } = response;
    return { credentialId: id, authenticatorData, clientDataJSON, signature };
  } catch (cause) {
    console.info('No passkey was used', cause);
    return undefined;
  }
}

/** Starts a session with a passkey. Returns false if none was used. */
export async function signInWithPasskey() {
  const { challenge } = await call(startPasskeyLogin, {});
  const assertion = await signChallenge(challenge, []);
  if (!assertion) return false;
  const { token } = await call(passkeyLogin, { body: { assertion } });
  startSession(token);
  return true;
}

/** Lets the administrator prove with a passkey that it is them. Returns undefined if they canceled. */
export async function signStepUp() {
  const { passkeys } = await call(listPasskeys, {});
  const { challenge } = await call(startPasskeyLogin, {});
  return signChallenge(
    challenge,
    passkeys.map(({ credentialId }) => credentialId),
  );
}

/** Lets the administrator sign the approval of a request with one of their passkeys. */
export async function signApproval(request: { id: string; digest: string }) {
  const { passkeys } = await call(listPasskeys, {});
  const text = new TextEncoder().encode(signedText(request));
  const challenge = base64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', text)));
  return signChallenge(
    challenge,
    passkeys.map(({ credentialId }) => credentialId),
  );
}

type NewPasskey = { challenge: string; admin: { id: string; username: string }; existing: readonly string[] };

/** Creates a passkey. Returns undefined if the administrator canceled, or this device has one already. */
export async function createPasskey({ challenge, admin, existing }: NewPasskey) {
  try {
    const { id, response } = await startRegistration({
      optionsJSON: {
        challenge,
        rp: { id: window.location.hostname, name: 'Bursar' },
        user: {
          id: base64Url(new TextEncoder().encode(admin.id)),
          name: admin.username,
          displayName: admin.username,
        },
        pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: 'public-key' })),
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
        excludeCredentials: existing.map((credential) => ({ id: credential, type: 'public-key' })),
      },
    });
    const { clientDataJSON, attestationObject } = response;
    return { credentialId: id, clientDataJSON, attestationObject };
  } catch (cause) {
    console.info('No passkey was created', cause);
    return undefined;
  }
}
