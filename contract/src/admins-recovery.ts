import { z } from 'zod';
import { Waiting } from './approvals.ts';
import { endpoint, Timestamp } from './core/endpoint.ts';

/** For how long every Super Admin is told of a recovery. */
export const recoveriesShownDays = 7;

export const RecoveryReason = z.string().trim().min(3).max(500);

/** A recovery that was approved and can be completed, or one that was completed. */
export type Recovery = z.output<typeof Recovery>;
const Recovery = z.object({
  id: z.uuid(),
  admin: z.object({ id: z.uuid(), username: z.string() }),
  /** The reason, requester and approver are null for a recovery on the command line of the server. */
  reason: z.string().nullable(),
  requestedBy: z.string().nullable(),
  approvedBy: z.string().nullable(),
  recoveredAt: Timestamp.nullable(),
});

export const requestRecovery = endpoint({
  feature: 'admins',
  method: 'POST',
  url: '/api/admin/:id/recover',
  access: 'admins.write',
  stepUp: true,
  summary: 'Request a temporary password for an administrator who is locked out; a second Super Admin must approve it',
  params: z.strictObject({ id: z.uuid() }),
  body: z.strictObject({ reason: RecoveryReason }),
  answer: z.object({ waiting: Waiting.nullable() }),
  refusals: {
    404: { AdminNotFound: 'This administrator no longer exists.' },
    409: {
      RecoveryOfOwnAccount: 'You can’t recover your own account. Change your password in the account menu instead.',
      RecoveryWaits: 'The recovery of this administrator is already waiting for a second approver.',
    },
  },
});

export const listRecoveries = endpoint({
  feature: 'admins',
  method: 'GET',
  url: '/api/admin/recoveries',
  access: 'admins.write',
  summary: 'List approved recoveries and those completed in the last 7 days, newest first',
  answer: z.object({ recoveries: z.array(Recovery) }),
  refusals: {},
});

export const completeRecovery = endpoint({
  feature: 'admins',
  method: 'POST',
  url: '/api/admin/recoveries/:id/complete',
  access: 'admins.write',
  stepUp: true,
  summary: 'Set a temporary password and show it once, to the requester of an approved recovery',
  params: z.strictObject({ id: z.uuid() }),
  answer: z.object({ username: z.string(), password: z.string() }),
  refusals: {
    404: { RecoveryNotFound: 'There is no such recovery of yours.' },
    409: {
      RecoveryNotApproved: 'A second Super Admin must approve this recovery first.',
      RecoveryExpired: 'This recovery has expired. Request it again.',
      RecoveryOutdated: 'This account has changed since its recovery was approved. Request it again.',
      RecoveryCompleted: 'The temporary password of this recovery was already shown. Request another recovery.',
    },
  },
});
