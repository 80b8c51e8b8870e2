import { z } from 'zod';
import { endpoint } from './core/endpoint.ts';

export const live = endpoint({
  feature: 'health',
  method: 'GET',
  url: '/api/health/live',
  access: 'anyone',
  summary: 'The process runs',
  answer: z.object({ status: z.literal('live') }),
  refusals: {},
});

export const ready = endpoint({
  feature: 'health',
  method: 'GET',
  url: '/api/health/ready',
  access: 'anyone',
  summary: 'The process reaches its database and takes requests',
  answer: z.object({ status: z.literal('ready') }),
  refusals: { 503: { NotReady: 'The database cannot be reached.' } },
});

export const workers = endpoint({
  feature: 'health',
  method: 'GET',
  url: '/api/health/workers',
  access: 'anyone',
  summary: 'How many workers have been alive in the last minute',
  answer: z.object({ workers: z.int().positive() }),
  refusals: { 503: { NoWorker: 'No worker is running.' } },
});

export const reportPolicyViolation = endpoint({
  feature: 'health',
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
