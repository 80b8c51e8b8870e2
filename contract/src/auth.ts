import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { rule } from './core/field-errors.ts';
import { PermissionSet, Role } from './core/permissions.ts';

/** ASCII letters, digits and . _ - only, so that no two names look alike. */
export const Username = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{2,31}$/,
    rule('must have 3 to 32 letters, digits, dots, dashes or underscores, and start with a letter or digit'),
  );

export const passwordLength = { min: 12, max: 128 } as const;
export const NewPassword = z.string().min(passwordLength.min).max(passwordLength.max);

/** The hours in which an administrator must change a password that someone else has set. */
export const temporaryPasswordHours = 72;

/** Sent with calls that follow no recent user input, such as the refresh of a list in an abandoned window. */
export const unattendedHeader = 'x-unattended';

const PasswordTooCommon = 'This password is too easy to guess. Choose another.';
export const TemporaryPasswordExpired =
  'Your temporary password has expired. Ask a Super Admin to recover your account.';
export const FactorRequired = 'Enter a code from your authenticator app, or one of your recovery codes.';
export const PasskeyRefused = 'We could not verify this passkey. Try again.';
export const CodeWrong = 'That code is incorrect or has already been used. Enter a new one.';
export const TooManyAttempts = 'Too many attempts. Please wait before trying again.';

export const login = endpoint({
  feature: 'auth',
  method: 'POST',
  url: '/api/admin/login',
  access: 'anyone',
  summary: 'Sign in',
  body: z.strictObject({
    username: z.string().min(1).max(128),
    password: z.string().min(1).max(128),
    /** A code of the authenticator app or a recovery code, if the account has a second factor. */
    code: z.string().min(1).max(40).optional(),
  }),
  answer: z.object({ token: z.string() }),
  refusals: {
    401: { InvalidCredentials: 'Invalid username or password.', CodeWrong },
    403: {
      TemporaryPasswordExpired,
      FactorRequired,
    },
    429: { TooManyAttempts },
  },
});

export const logout = endpoint({
  feature: 'auth',
  method: 'POST',
  url: '/api/auth/logout',
  access: 'session',
  summary: 'End this session',
  answer: z.object({}),
  refusals: {},
});

const Me = z.object({
  id: z.uuid(),
  username: z.string(),
  role: Role,
  permissionSet: PermissionSet.nullable(),
  mustChangePassword: z.boolean(),
  sessionEndsAt: Timestamp,
});

export const readMe = endpoint({
  feature: 'auth',
  method: 'GET',
  url: '/api/auth/me',
  access: 'session',
  summary: 'Read who is signed in',
  answer: z.object({ me: Me }),
  refusals: {},
});

export const changePassword = endpoint({
  feature: 'auth',
  method: 'POST',
  url: '/api/auth/password',
  access: 'session',
  stepUp: true,
  summary: 'Change your own password; every other session of yours ends',
  body: z.strictObject({ currentPassword: z.string().min(1).max(128), newPassword: NewPassword }),
  answer: z.object({ token: z.string() }),
  refusals: {
    403: { TemporaryPasswordExpired },
    422: {
      CurrentPasswordWrong: 'The current password is incorrect.',
      PasswordUnchanged: 'The new password must differ from the current one.',
      PasswordTooCommon,
    },
    429: { TooManyAttempts },
  },
});
