import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';

export type FindingCode = z.output<typeof FindingCode>;
export const FindingCode = z.enum([
  'row-missing',
  'row-altered',
  'head-missing',
  'head-forged',
  'head-cut',
  'head-altered',
  'publisher-stopped',
  'rows-unpublished',
  'decision-unrecorded',
  'limit-unrecorded',
  'role-unrecorded',
  'deletion-unrecorded',
  'settings-unrecorded',
  'restore-unrecorded',
  'decision-unsealed',
  'right-unsealed',
  'event-unsealed',
  'approval-unsigned',
]);

/** What a verification of the audit log found. */
export type Finding = z.output<typeof Finding>;
export const Finding = z.object({
  code: FindingCode,
  /** The first places: numbers of audit rows, or what has no row. */
  where: z.array(z.string()),
  count: z.int(),
  /** Since when, for a publisher that has stopped and for rows that wait for it. */
  since: Timestamp.nullable(),
});

export type AuditVerification = z.output<typeof AuditVerification>;
export const AuditVerification = z.object({
  id: z.uuid(),
  /** Null for the scheduled verification. */
  requestedBy: z.string().nullable(),
  state: z.enum(['waiting', 'running', 'done', 'failed']),
  rowsDone: z.int(),
  rowsTotal: z.int(),
  /** Empty if the log is sound, and until the verification is done. */
  findings: z.array(Finding),
  createdAt: Timestamp,
  endedAt: Timestamp.nullable(),
});

/** The worker publishes every minute, so after this time something is wrong with it. */
export const headStaleAfterMs = 5 * 60_000;

export const readAuditVerification = endpoint({
  feature: 'audit',
  method: 'GET',
  url: '/api/audit/verification',
  access: 'platform.read',
  summary: 'Read the last verifications of the audit log, and whether its heads are being published',
  answer: z.object({
    /** Waiting or running. */
    current: AuditVerification.nullable(),
    /** The last that ended. */
    last: AuditVerification.nullable(),
    /** What is wrong with the published heads now, without reading the log. */
    heads: Finding.nullable(),
    publishedAt: Timestamp.nullable(),
  }),
  refusals: {},
});

export const startAuditVerification = endpoint({
  feature: 'audit',
  method: 'POST',
  url: '/api/audit/verifications',
  access: 'audit.read',
  summary: 'Verify the whole audit log on the worker',
  answer: z.object({ verification: AuditVerification }),
  refusals: { 409: { VerificationRunning: 'The audit log is being verified already.' } },
});
