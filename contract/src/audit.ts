import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { rule } from './core/field-errors.ts';

export type AuditEntry = z.output<typeof AuditEntry>;
export const AuditEntry = z.object({
  seq: z.string(),
  at: Timestamp,
  /** Null when an API key or the system itself acted. */
  actor: z.string().nullable(),
  /** The name of the API key that acted. */
  apiKey: z.string().nullable(),
  action: z.string(),
  details: z.record(z.string(), z.unknown()),
});

export const listAuditEntries = endpoint({
  feature: 'audit',
  method: 'GET',
  url: '/api/audit',
  access: 'audit.read',
  summary: 'List the audit rows of one item, newest first',
  querystring: z.strictObject({
    subject: z.string().min(1).max(100),
    before: z
      .string()
      .regex(/^\d{1,18}$/, rule('must be a number that an earlier page answered'))
      .optional(),
  }),
  answer: z.object({
    entries: z.array(AuditEntry),
    /** Pass it as `before` to get the next older entries. */
    olderThan: z.string().nullable(),
  }),
  refusals: {},
});
