import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { UserRef } from './users-ref.ts';

/** For how long every Super Admin is told that a private key was opened. */
export const openedKeysDays = 30;

const OpenedKey = z.object({
  id: z.uuid(),
  user: UserRef,
  reason: z.string(),
  openedBy: z.string(),
  approvedBy: z.string(),
  openedAt: Timestamp,
});

export const listOpenedKeys = endpoint({
  feature: 'users',
  method: 'GET',
  url: '/api/users/opened-keys',
  access: 'secrets.reveal',
  summary: 'List the private keys that were opened in the last 30 days, newest first, at most 100',
  answer: z.object({ opened: z.array(OpenedKey) }),
  refusals: {},
});
