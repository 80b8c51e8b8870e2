import { z } from 'zod';
import { Assertion } from './approvals-signature.ts';
import { CodeWrong, PasskeyRefused, TooManyAttempts } from './auth.ts';
import { endpoint, Timestamp } from './core/endpoint.ts';

export type Passkey = z.output<typeof Passkey>;
const Passkey = z.object({
  id: z.uuid(),
  name: z.string(),
  credentialId: z.string(),
  /** The domain on which it works. */
  domain: z.string(),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
});

const Challenge = z.object({ challenge: z.string() });

export const listPasskeys = endpoint({
  feature: 'security',
  method: 'GET',
  url: '/api/security/passkeys',
  access: 'settings.own',
  summary: 'List the passkeys of your own account',
  answer: z.object({ passkeys: z.array(Passkey) }),
  refusals: {},
});

export const startPasskey = endpoint({
  feature: 'security',
  stepUp: true,
  method: 'POST',
  url: '/api/security/passkeys/challenge',
  access: 'settings.own',
  summary: 'Get the challenge for a new passkey',
  answer: Challenge,
  refusals: {},
});

const Base64Url = z
  .string()
  .regex(/^[\w-]+$/)
  .max(8_000);

export const addPasskey = endpoint({
  feature: 'security',
  stepUp: true,
  method: 'POST',
  url: '/api/security/passkeys',
  access: 'settings.own',
  summary: 'Add a passkey to your own account; every other session of yours ends',
  body: z.strictObject({
    name: z.string().trim().min(1).max(80),
    credentialId: Base64Url.max(1_400),
    clientDataJSON: Base64Url,
    attestationObject: Base64Url,
  }),
  answer: z.object({
    token: z.string(),
    /** Null if the account had recovery codes already. */
    recoveryCodes: z.array(z.string()).nullable(),
  }),
  refusals: { 422: { PasskeyRefused } },
});

export const removePasskey = endpoint({
  feature: 'security',
  stepUp: true,
  method: 'POST',
  url: '/api/security/passkeys/:id/remove',
  access: 'settings.own',
  summary: 'Remove a passkey of your own account; every other session of yours ends',
  params: z.strictObject({ id: z.uuid() }),
  /** A code of the authenticator app or a recovery code. */
  body: z.strictObject({ code: z.string().min(1).max(40) }),
  answer: z.object({ token: z.string() }),
  refusals: {
    404: { PasskeyNotFound: 'This passkey has already been removed.' },
    422: { CodeWrong },
    429: { TooManyAttempts },
  },
});

export const startPasskeyLogin = endpoint({
  feature: 'security',
  method: 'POST',
  url: '/api/admin/login/passkey/challenge',
  access: 'anyone',
  summary: 'Get the challenge for signing in with a passkey',
  answer: Challenge,
  refusals: {},
});

export const passkeyLogin = endpoint({
  feature: 'security',
  method: 'POST',
  url: '/api/admin/login/passkey',
  access: 'anyone',
  summary: 'Sign in with a passkey',
  body: z.strictObject({ assertion: Assertion }),
  answer: z.object({ token: z.string() }),
  refusals: { 401: { PasskeyRefused }, 429: { TooManyAttempts } },
});
