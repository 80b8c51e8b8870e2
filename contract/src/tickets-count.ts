import { z } from 'zod';
import { endpoint } from './core/endpoint.ts';

export const countTickets = endpoint({
  feature: 'tickets',
  method: 'GET',
  url: '/api/tickets/count',
  access: 'platform.read',
  summary: 'How many tickets are open',
  answer: z.object({ open: z.int() }),
  refusals: {},
});
