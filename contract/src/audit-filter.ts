import { z } from 'zod';
import { Day } from './core/endpoint.ts';
import { rule } from './core/field-errors.ts';

/** The caller of rows that nobody caused: schedules, retries and other work of the system itself. */
export const systemCaller = 'system';

/** What narrows the audit log. The parts can be combined. */
export type AuditFilter = z.output<typeof AuditFilter>;
export const AuditFilter = z.strictObject({
  /** An administrator or an API key, or `system`. */
  caller: z.union([z.literal(systemCaller), z.uuid()]).optional(),
  /** All actions of a feature, such as `tickets`. */
  feature: z
    .string()
    .regex(/^[a-z]{1,40}$/, rule('must be a feature such as tickets'))
    .optional(),
  action: z
    .string()
    .regex(/^[a-z]{1,40}\.[a-z-]{1,60}$/, rule('must be an action such as tickets.create'))
    .optional(),
  /** The id of the item that the action changed. */
  subject: z.string().min(1).max(100).optional(),
  /** The first and the last UTC day, both inclusive. */
  from: Day.optional(),
  to: Day.optional(),
});
