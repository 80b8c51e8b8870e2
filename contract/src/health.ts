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
