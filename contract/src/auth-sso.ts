import { z } from 'zod';
import { CodeWrong, FactorRequired, TemporaryPasswordExpired, TooManyAttempts } from './auth.ts';
import { endpoint } from './core/endpoint.ts';

const SsoFailed = 'Single sign-on failed. Start again.';
const SsoNotConfigured = 'This installation has no single sign-on.';
const SsoUnavailable = 'The single sign-on provider does not respond. Try again, or sign in with your password.';

export const startSso = endpoint({
  feature: 'auth',
  method: 'POST',
  url: '/api/auth/sso/start',
  access: 'anyone',
  summary: 'Start single sign-on: the answer is the page of the provider to open',
  answer: z.object({ url: z.url() }),
  refusals: { 404: { SsoNotConfigured }, 502: { SsoUnavailable } },
});

export const finishSso = endpoint({
  feature: 'auth',
  method: 'POST',
  url: '/api/auth/sso/finish',
  access: 'anyone',
  summary: 'Sign in with what the provider of single sign-on has answered',
  body: z.strictObject({
    /** The query string with which the provider sent the browser back, in the browser that started. */
    query: z.string().min(1).max(8_192),
  }),
  answer: z.object({ token: z.string() }),
  refusals: {
    401: { SsoFailed },
    403: {
      SsoNotPermitted: 'Your single sign-on account gives no access to Bursar. Ask a Super Admin.',
      SsoNotRecent:
        'Your provider did not ask you to sign in again. Sign in with your password, or add an authenticator app to your account first.',
      TemporaryPasswordExpired,
      FactorRequired,
    },
    404: { SsoNotConfigured },
    429: { TooManyAttempts },
    502: { SsoUnavailable },
  },
});

export const finishSsoWithCode = endpoint({
  feature: 'auth',
  method: 'POST',
  url: '/api/auth/sso/code',
  access: 'anyone',
  summary: 'Finish single sign-on with a code, after the answer FactorRequired',
  body: z.strictObject({
    /** A code of the authenticator app or a recovery code. */
    code: z.string().min(1).max(40),
  }),
  answer: z.object({ token: z.string() }),
  refusals: {
    401: { SsoFailed, CodeWrong },
    403: { TemporaryPasswordExpired },
    404: { SsoNotConfigured },
    429: { TooManyAttempts },
  },
});
