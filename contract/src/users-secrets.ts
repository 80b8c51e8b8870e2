import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { Reason, User, UserNotFound } from './users.ts';

/** A request of the caller to reveal the private key of a user: it waits for a second approver, or can be opened. */
export type KeyReveal = z.output<typeof KeyReveal>;
const KeyReveal = z.object({
  id: z.uuid(),
  approval: z.uuid(),
  state: z.enum(['waiting', 'approved']),
  reason: z.string(),
  /** When the request can no longer be approved, nor the key opened. */
  expiresAt: Timestamp,
});

const OfUser = z.strictObject({ id: z.uuid() });

export const requestKeyReveal = endpoint({
  feature: 'users',
  method: 'POST',
  url: '/api/users/:id/key-reveal',
  access: 'secrets.reveal',
  stepUp: true,
  summary: 'Request to reveal the private key of a user, which a second approver decides',
  params: OfUser,
  body: z.strictObject({ reason: Reason }),
  answer: z.object({ reveal: KeyReveal }),
  refusals: {
    404: { UserNotFound },
    409: {
      NoPrivateKey: 'No private key is stored for this user.',
      RevealRequested: 'You have already requested this key.',
    },
  },
});

export const readKeyReveal = endpoint({
  feature: 'users',
  method: 'GET',
  url: '/api/users/:id/key-reveal',
  access: 'secrets.reveal',
  summary: 'Read your own request to reveal the private key of a user, while it waits or can be opened',
  params: OfUser,
  answer: z.object({ reveal: KeyReveal.nullable() }),
  refusals: { 404: { UserNotFound } },
});

export const openKey = endpoint({
  feature: 'users',
  method: 'POST',
  url: '/api/users/key-reveals/:id/open',
  access: 'secrets.reveal',
  stepUp: true,
  summary: 'Open the private key of an approved request. It is in this response and in no other',
  params: z.strictObject({ id: z.uuid() }),
  answer: z.object({ privateKey: z.string() }),
  refusals: {
    404: { UserNotFound, RevealNotFound: 'You have made no such request.' },
    409: {
      RevealNotApproved: 'This request has not been approved.',
      RevealExpired: 'This request has expired. Request the key again.',
      KeyOpened: 'This key was already opened. Request it again if you still need it.',
    },
  },
});

export const resetPassword = endpoint({
  feature: 'users',
  method: 'POST',
  url: '/api/users/:id/reset-password',
  access: 'users.write',
  summary: 'Delete the password of a user, sign them out, and tell the platform to ask for a new one',
  params: OfUser,
  body: z.strictObject({ reason: Reason }),
  answer: z.object({ user: User }),
  refusals: { 404: { UserNotFound } },
});
