import { z } from 'zod';
import { AuditFilter } from './audit-filter.ts';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { rule } from './core/field-errors.ts';
import { badCursor, pageAnswer, pageQuery } from './core/paging.ts';

export type AuditEntry = z.output<typeof AuditEntry>;
export const AuditEntry = z.object({
  /** The number of the row. The log has no gaps. */
  id: z.string(),
  at: Timestamp,
  /** Null when an API key or the system itself acted. */
  actor: z.string().nullable(),
  /** The name of the API key that acted. */
  apiKey: z.string().nullable(),
  /** The administrator or API key, for the filter. Null for the system itself. */
  caller: z.uuid().nullable(),
  action: z.string(),
  subject: z.string().nullable(),
  /** The username of the user or administrator who is the subject. Null for other subjects. */
  subjectName: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
});

export const listAuditEntries = endpoint({
  feature: 'audit',
  method: 'GET',
  url: '/api/audit',
  access: 'audit.read',
  summary: 'List audit rows a page at a time, newest first',
  querystring: z.strictObject({ ...pageQuery, ...AuditFilter.shape }),
  answer: z.object({ entries: z.array(AuditEntry), ...pageAnswer }),
  refusals: { 422: badCursor },
});

export const readAuditEntry = endpoint({
  feature: 'audit',
  method: 'GET',
  url: '/api/audit/entries/:id',
  access: 'audit.read',
  summary: 'Read one audit row',
  params: z.strictObject({ id: z.string().regex(/^\d{1,18}$/, rule('must be the number of an audit row')) }),
  answer: z.object({ entry: AuditEntry }),
  refusals: { 404: { EntryNotFound: 'There is no such audit row.' } },
});

export const readAuditChoices = endpoint({
  feature: 'audit',
  method: 'GET',
  url: '/api/audit/choices',
  access: 'audit.read',
  summary: 'List the callers and actions by which the audit log can be narrowed',
  answer: z.object({
    /** Administrators, also deleted ones, and API keys. */
    callers: z.array(z.object({ id: z.uuid(), name: z.string(), isKey: z.boolean() })),
    /** Every action that has a row. */
    actions: z.array(z.string()),
  }),
  refusals: {},
});
