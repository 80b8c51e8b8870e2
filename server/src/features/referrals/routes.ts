import * as contract from 'contract/referrals.ts';
import { inActorTransaction } from '#server/core/auth/actor-transaction.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import type { Enqueue } from '#server/core/queue/queue.ts';
import { requestRepair, checkTree, listCorrections, listFindings, readTree } from './service.ts';

export function referralRoutes(api: Api, { database, enqueue }: { database: Database; enqueue: Enqueue }) {
  api.serve(contract.readTree, () => readTree(database));

  api.serve(contract.checkTree, ({ actor }) =>
    inActorTransaction(database, actor, (tx) => checkTree(tx, { actor, enqueue })),
  );

  api.serve(contract.listFindings, ({ params, querystring }) => listFindings(database, { ...params, ...querystring }));

  api.serve(contract.listCorrections, ({ params, querystring }) =>
    listCorrections(database, { ...params, ...querystring }),
  );

  api.serve(contract.requestRepair, ({ params, body, actor }) =>
    inActorTransaction(database, actor, (tx) => requestRepair(tx, { actor, id: params.id, ...body })),
  );
}
