import { z } from 'zod';
import { Waiting } from './approvals.ts';
import { Day, endpoint, Timestamp } from './core/endpoint.ts';
import type { JobName } from './run-kinds.ts';

/** A version of a job's settings. Every save creates a new version; older ones are kept. */
const versionOf = <S extends z.ZodType>(settings: S) =>
  z.object({
    settings,
    version: z.int(),
    /** Null until someone changes the default. */
    savedBy: z.string().nullable(),
    /** Null if no second approver was needed. */
    approvedBy: z.string().nullable(),
    savedAt: Timestamp,
    /** The version applies to payments for this time and later ones. */
    effectiveFrom: Timestamp,
    /** A change that is waiting for a second approver. The settings above apply until it is approved. */
    waiting: Waiting.nullable(),
  });

const refusals = {
  409: {
    JobConflict: 'Someone else has just saved this. Check the new values and save again.',
    ChangeWaits: 'A change to these settings is already waiting for a second approver. It must be decided first.',
  },
} as const;

export const settingsRead = <J extends JobName, S extends z.ZodType>(job: J, settings: S) =>
  endpoint({
    feature: 'jobs',
    method: 'GET',
    url: `/api/jobs/${job}`,
    access: 'platform.read',
    summary: `Read the settings of ${job}`,
    answer: versionOf(settings),
    refusals: {},
  });

export const settingsSave = <J extends JobName, S extends z.ZodType>(job: J, settings: S) =>
  endpoint({
    feature: 'jobs',
    stepUp: true,
    method: 'POST',
    url: `/api/jobs/${job}`,
    access: 'jobs.write',
    summary: `Save the settings of ${job} as a new version, or request an approval if it changes what is paid`,
    body: z.strictObject({
      settings,
      version: z.int(),
      /** Without it, a change applies to the next day that is not yet paid, or at once if the job does not pay days. */
      effectiveFrom: Day.optional(),
    }),
    answer: versionOf(settings),
    refusals,
  });
