import * as contract from 'contract/ledger.ts';
import type { Database } from '#server/db/db.ts';
import type { Api } from '#server/http/api.ts';
import { listTransfers, readBalances, readTransfer } from './service.ts';

export function ledgerRoutes(api: Api, database: Database) {
  api.serve(contract.listTransfers, ({ querystring }) => listTransfers(database, querystring));

  api.serve(contract.readTransfer, ({ params }) => readTransfer(database, params.id));

  api.serve(contract.readBalances, () => readBalances(database));
}
