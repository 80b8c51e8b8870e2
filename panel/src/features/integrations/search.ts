import { z } from 'zod';
import { inAddress } from '#panel/ui/table/view.ts';

export const integrationsSearch = z.object({
  /** Undefined for the API keys. */
  tab: inAddress(z.enum(['webhooks'])),
  /** The API key that is open over the list. */
  key: inAddress(z.uuid()),
  /** The webhook that is open over the list. */
  webhook: inAddress(z.uuid()),
  /** Narrows its deliveries. */
  deliveries: inAddress(z.enum(['pending', 'delivered', 'failed'])),
  /** The delivery that is open in it. */
  delivery: inAddress(z.uuid()),
});

export const closedWebhook = { webhook: undefined, deliveries: undefined, delivery: undefined } as const;
