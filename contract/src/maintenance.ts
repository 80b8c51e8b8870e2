import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';

/** The length of a maintenance window, in seconds. */
export const maintenanceSeconds = 3_600;

export type Maintenance = z.output<typeof Maintenance>;
export const Maintenance = z.object({
  active: z.boolean(),
  endsAt: Timestamp.nullable(),
  changedBy: z.string().nullable(),
  changedAt: Timestamp.nullable(),
  /** The server's time. The countdown is computed from it, because the browser's clock may be wrong. */
  now: Timestamp,
});

export const readMaintenance = endpoint({
  feature: 'maintenance',
  method: 'GET',
  url: '/api/maintenance',
  access: 'platform.read',
  summary: 'Whether the platform is under maintenance, and until when',
  answer: z.object({ maintenance: Maintenance }),
  refusals: {},
});

export const setMaintenance = endpoint({
  feature: 'maintenance',
  stepUp: true,
  method: 'POST',
  url: '/api/maintenance',
  access: 'switches.write',
  summary: 'Start a maintenance window of an hour, or end it; repeating the call changes nothing',
  body: z.strictObject({ active: z.boolean() }),
  answer: z.object({ maintenance: Maintenance }),
  refusals: {},
});
