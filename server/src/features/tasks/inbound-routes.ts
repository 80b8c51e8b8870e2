import * as contract from 'contract/tasks-inbound.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { inInboundTransaction } from '#server/core/inbound/inbound.ts';
import { storeSubmissions } from './inbound.ts';

export function inboundTaskRoutes(api: Api, database: Database) {
  api.serve(contract.storeSubmissions, ({ body, apiKey }) =>
    inInboundTransaction({ database, apiKey }, (tx) => storeSubmissions(tx, body.items)),
  );
}
