import { z } from 'zod';

const Base64Url = z
  .string()
  .regex(/^[\w-]+$/)
  .max(4_000);

/** The answer of an authenticator to a challenge, as browsers encode it. */
export type Assertion = z.output<typeof Assertion>;
export const Assertion = z.strictObject({
  credentialId: Base64Url,
  authenticatorData: Base64Url,
  clientDataJSON: Base64Url,
  signature: Base64Url,
});

/**
 * The text whose SHA-256 is the challenge that a passkey signs to approve a request. The digest covers what would be
 * done. The id keeps a signature from approving a later request for the same.
 */
export const signedText = ({ id, digest }: { id: string; digest: string }) => `bursar approval ${id} ${digest}`;
