import { z } from 'zod';
import { Waiting } from './approvals.ts';
import { endpoint, Timestamp } from './core/endpoint.ts';
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
    method: 'POST',
    url: `/api/jobs/${job}`,
    access: 'jobs.write',
    summary: `Save the settings of ${job} as a new version, or request an approval if it changes what is paid`,
    body: z.strictObject({ settings, version: z.int() }),
    answer: versionOf(settings),
    refusals,
  });
