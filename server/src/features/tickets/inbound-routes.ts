import * as contract from 'contract/tickets-inbound.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { inInboundTransaction } from '#server/core/inbound/inbound.ts';
import { storeMessages, storeTickets } from './inbound.ts';

export function inboundTicketRoutes(api: Api, database: Database) {
  api.serve(contract.storeTickets, ({ body, apiKey }) =>
    inInboundTransaction({ database, apiKey }, (tx) => storeTickets(tx, body.items)),
  );

  api.serve(contract.storeMessages, ({ body, apiKey }) =>
    inInboundTransaction({ database, apiKey }, (tx) => storeMessages(tx, body.items)),
  );
}
