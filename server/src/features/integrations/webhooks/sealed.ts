import { sealedColumn } from '#server/core/db/sealed-rows.ts';

export const sealedWebhookSecrets = sealedColumn({
  name: 'secrets of webhooks',
  table: 'webhook_secret',
  column: 'sealed',
  placeOf: (id) => ({ table: 'webhook_secret', id, column: 'sealed' }),
});
