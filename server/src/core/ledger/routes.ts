import * as contract from 'contract/ledger.ts';
import * as verification from 'contract/ledger-verification.ts';
import { inActorTransaction } from '#server/core/auth/actor-transaction.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { adjust } from './adjust.ts';
import type { Owed } from './lines.ts';
import { requestWriteOff } from './write-off.ts';
import { listTransfers, readBalances, readTransfer } from './service.ts';
import { readVerification } from './verification.ts';

export function ledgerRoutes(api: Api, { database, owed }: { database: Database; owed: Owed }) {
  api.serve(contract.listTransfers, ({ querystring }) => listTransfers(database, querystring));

  api.serve(contract.readTransfer, ({ params }) => readTransfer(database, params.id));

  api.serve(contract.readBalances, () => readBalances(database));

  api.serve(verification.readVerification, () => readVerification(database));

  api.serve(contract.adjust, ({ body, actor }) =>
    inActorTransaction(database, actor, (tx) => adjust(tx, { owed, actor, ...body })),
  );

  api.serve(contract.requestWriteOff, ({ body, actor }) =>
    inActorTransaction(database, actor, (tx) => requestWriteOff(tx, { actor, ...body })),
  );
}
