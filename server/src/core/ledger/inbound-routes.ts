import * as contract from 'contract/ledger-inbound.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { inInboundTransaction } from '#server/core/inbound/inbound.ts';
import { storeDeposits } from './inbound.ts';

export function inboundLedgerRoutes(api: Api, database: Database) {
  api.serve(contract.storeDeposits, ({ body, apiKey }) =>
    inInboundTransaction({ database, apiKey }, (tx) => storeDeposits(tx, body.items)),
  );
}
