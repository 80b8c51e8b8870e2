import { z } from 'zod';
import { Assertion } from './approvals-signature.ts';
import { CodeWrong, FactorRequired, PasskeyRefused, TooManyAttempts } from './auth.ts';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { rule } from './core/field-errors.ts';

const Code = z.string().min(1).max(40);
const RecoveryCodes = z.array(z.string());

export type Factors = z.output<typeof Factors>;
const Factors = z.object({
  /** When the authenticator app was set up. Null without one. */
  appSince: Timestamp.nullable(),
  recoveryCodesLeft: z.int(),
  hasPasskey: z.boolean(),
  /** Whether moving money needs a second factor in this installation. */
  required: z.boolean(),
});

export const readFactors = endpoint({
  feature: 'security',
  method: 'GET',
  url: '/api/security/factors',
  access: 'settings.own',
  summary: 'Read which second factors your own account has',
  answer: z.object({ factors: Factors }),
  refusals: {},
});

export const startApp = endpoint({
  feature: 'security',
  stepUp: true,
  method: 'POST',
  url: '/api/security/app/start',
  access: 'settings.own',
  summary: 'Create the secret of an authenticator app; it counts once its first code is entered',
  answer: z.object({
    /** Base32, for apps that cannot scan. */
    secret: z.string(),
    /** What the QR code says. */
    uri: z.string(),
  }),
  refusals: { 409: { AppActive: 'Your account has an authenticator app already. Remove it first.' } },
});

export const confirmApp = endpoint({
  feature: 'security',
  stepUp: true,
  method: 'POST',
  url: '/api/security/app/confirm',
  access: 'settings.own',
  summary: 'Enter the first code of an authenticator app; every other session of yours ends',
  body: z.strictObject({ code: Code }),
  answer: z.object({ token: z.string(), recoveryCodes: RecoveryCodes }),
  refusals: {
    409: { AppNotStarted: 'Start setting up the authenticator app first.' },
    422: { CodeWrong },
    429: { TooManyAttempts },
  },
});

export const removeApp = endpoint({
  feature: 'security',
  stepUp: true,
  method: 'POST',
  url: '/api/security/app/remove',
  access: 'settings.own',
  summary: 'Remove the authenticator app of your own account; every other session of yours ends',
  body: z.strictObject({ code: Code }),
  answer: z.object({ token: z.string() }),
  refusals: { 422: { CodeWrong }, 429: { TooManyAttempts } },
});

export const renewRecoveryCodes = endpoint({
  feature: 'security',
  stepUp: true,
  method: 'POST',
  url: '/api/security/recovery-codes',
  access: 'settings.own',
  summary: 'Replace the recovery codes of your own account',
  answer: z.object({ recoveryCodes: RecoveryCodes }),
  refusals: { 409: { NoFactor: 'Set up an authenticator app or a passkey first.' } },
});

export const stepUp = endpoint({
  feature: 'security',
  method: 'POST',
  url: '/api/security/step-up',
  access: 'settings.own',
  summary: 'Prove again who you are, for the next few minutes',
  body: z
    .strictObject({
      /** Only for an account without a second factor. */
      password: z.string().min(1).max(128).optional(),
      code: Code.optional(),
      /** The signature of a passkey for a challenge of `startPasskeyLogin`. */
      assertion: Assertion.optional(),
    })
    .refine(
      (body) => Object.values(body).filter((value) => value !== undefined).length === 1,
      rule('must have a password, a code or an assertion'),
    ),
  answer: z.object({ token: z.string() }),
  refusals: {
    403: { FactorRequired },
    422: { PasswordWrong: 'Incorrect password.', CodeWrong, PasskeyRefused },
    429: { TooManyAttempts },
  },
});
