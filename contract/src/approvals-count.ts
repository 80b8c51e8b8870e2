import { z } from 'zod';
import { endpoint } from './core/endpoint.ts';

export const countApprovals = endpoint({
  feature: 'approvals',
  method: 'GET',
  url: '/api/approvals/count',
  access: 'platform.read',
  summary: 'How many requests wait, and how many of them the caller may approve',
  answer: z.object({ waiting: z.int(), approvable: z.int() }),
  refusals: {},
});
