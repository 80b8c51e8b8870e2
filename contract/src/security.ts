import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { rule } from './core/field-errors.ts';

export type OwnSession = z.output<typeof OwnSession>;
const OwnSession = z.object({
  id: z.uuid(),
  /** The User-Agent of the client that signed in. */
  device: z.string(),
  network: z.string(),
  createdAt: Timestamp,
  lastUsedAt: Timestamp,
  /** The session of this call. */
  current: z.boolean(),
});

export const listOwnSessions = endpoint({
  feature: 'security',
  method: 'GET',
  url: '/api/security/sessions',
  access: 'settings.own',
  summary: 'List your own active sessions, this one first',
  answer: z.object({ sessions: z.array(OwnSession) }),
  refusals: {},
});

export const revokeOwnSession = endpoint({
  feature: 'security',
  method: 'POST',
  url: '/api/security/sessions/:id/revoke',
  access: 'settings.own',
  summary: 'End one of your own sessions',
  params: z.strictObject({ id: z.uuid() }),
  answer: z.object({}),
  refusals: { 404: { SessionNotFound: 'This session has already ended.' } },
});

export const revokeOtherSessions = endpoint({
  feature: 'security',
  method: 'POST',
  url: '/api/security/sessions/revoke-others',
  access: 'settings.own',
  summary: 'End all of your own sessions except this one',
  answer: z.object({ ended: z.int() }),
  refusals: {},
});

export type SignInAttempt = z.output<typeof SignInAttempt>;
const SignInAttempt = z.object({
  seq: z.string(),
  at: Timestamp,
  succeeded: z.boolean(),
  device: z.string(),
  network: z.string(),
});

export const listOwnSignIns = endpoint({
  feature: 'security',
  method: 'GET',
  url: '/api/security/sign-ins',
  access: 'settings.own',
  summary: 'List the successful and failed sign-ins of your own account, newest first',
  querystring: z.strictObject({
    before: z
      .string()
      .regex(/^\d{1,18}$/, rule('must be a number that an earlier page answered'))
      .optional(),
  }),
  answer: z.object({
    attempts: z.array(SignInAttempt),
    /** Pass it as `before` to get the next older attempts. */
    olderThan: z.string().nullable(),
  }),
  refusals: {},
});

export type PolicyReport = z.output<typeof PolicyReport>;
const PolicyReport = z.object({
  directive: z.string(),
  blocked: z.string(),
  reports: z.int(),
  firstAt: Timestamp,
  lastAt: Timestamp,
});

export const listPolicyReports = endpoint({
  feature: 'security',
  method: 'GET',
  url: '/api/security/policy-reports',
  access: 'audit.read',
  summary: "List what browsers reported as forbidden by the page's content policy, latest first",
  answer: z.object({ reports: z.array(PolicyReport) }),
  refusals: {},
});

export const reportPolicyViolation = endpoint({
  feature: 'security',
  method: 'POST',
  url: '/api/policy-reports',
  access: 'anyone',
  summary: "Take a browser's report that the page tried what its policy forbids",
  body: z.strictObject({
    'csp-report': z.looseObject({
      'effective-directive': z.string().max(100).optional(),
      'blocked-uri': z.string().max(2_000).optional(),
    }),
  }),
  answer: z.object({}),
  refusals: {},
});
