import { z } from 'zod';
import { endpoint } from './core/endpoint.ts';

export const listPausedWebhooks = endpoint({
  feature: 'integrations',
  method: 'GET',
  url: '/api/integrations/webhooks/paused',
  access: 'audit.read',
  summary: 'List the webhooks that were paused because every delivery failed for a day',
  answer: z.object({ webhooks: z.array(z.object({ id: z.uuid(), url: z.string() })) }),
  refusals: {},
});
