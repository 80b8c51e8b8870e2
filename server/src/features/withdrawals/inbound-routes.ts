import * as contract from 'contract/withdrawals-inbound.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { inInboundTransaction } from '#server/core/inbound/inbound.ts';
import { storeWithdrawals } from './inbound.ts';

export function inboundWithdrawalRoutes(api: Api, database: Database) {
  api.serve(contract.storeWithdrawals, ({ body, apiKey }) =>
    inInboundTransaction({ database, apiKey }, (tx) => storeWithdrawals(tx, body.items)),
  );
}
