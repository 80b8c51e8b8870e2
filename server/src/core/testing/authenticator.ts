import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { Assertion } from 'contract/approvals-signature.ts';

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest();

const userPresent = 0x01;
const userVerified = 0x04;
const withCredential = 0x40;

type Options = { rpId?: string; origin?: string; verifiesUser?: boolean };

/** A passkey as an authenticator would hold it, for tests without a browser. */
export function createAuthenticator({ rpId = 'bursar.example', origin, verifiesUser = true }: Options = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credential = randomBytes(32);
  const credentialId = credential.toString('base64url');
  const page = origin ?? `https://${rpId}`;
  let count = 0;

  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: page, crossOrigin: false }));

  function authenticatorData(flags: number, attested = Buffer.alloc(0)) {
    count += 1;
    const head = Buffer.alloc(5);
    head.writeUInt8(flags | userPresent | (verifiesUser ? userVerified : 0));
    head.writeUInt32BE(count, 1);
    return Buffer.concat([sha256(rpId), head, attested]);
  }

  return {
    credentialId,

    /** Answers the challenge for a new passkey. */
    register(challenge: string) {
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      // COSE (RFC 9053): an EC2 key for ES256 on P-256.
      const cose = Buffer.concat([
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(x, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y, 'base64url'),
      ]);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credential.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, credential, cose]);
      const data = authenticatorData(withCredential, attested);
      // CBOR: { fmt: 'none', attStmt: {}, authData }.
      const attestation = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
        Buffer.of(data.length),
        data,
      ]);
      return {
        credentialId,
        clientDataJSON: clientData('webauthn.create', challenge).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
      };
    },

    /** Signs a challenge. */
    sign(challenge: string): Assertion {
      const client = clientData('webauthn.get', challenge);
      const data = authenticatorData(0);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      return {
        credentialId,
        authenticatorData: data.toString('base64url'),
        clientDataJSON: client.toString('base64url'),
        signature: signature.toString('base64url'),
      };
    },
  };
}
