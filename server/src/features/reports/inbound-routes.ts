import * as contract from 'contract/reports-inbound.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { inInboundTransaction } from '#server/core/inbound/inbound.ts';
import { type MarkActive, storeActivity } from './inbound.ts';

export function inboundActivityRoutes(
  api: Api,
  { database, markActive }: { database: Database; markActive: MarkActive },
) {
  api.serve(contract.storeActivity, ({ body, apiKey }) =>
    inInboundTransaction({ database, apiKey }, (tx) => storeActivity(tx, { items: body.items, markActive })),
  );
}
