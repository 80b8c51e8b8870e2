import * as contract from 'contract/users-inbound.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { inInboundTransaction } from '#server/core/inbound/inbound.ts';
import { storeUsers } from './inbound.ts';

export function inboundUserRoutes(api: Api, database: Database) {
  api.serve(contract.storeUsers, ({ body, apiKey }) =>
    inInboundTransaction({ database, apiKey }, (tx) => storeUsers(tx, body.items)),
  );
}
