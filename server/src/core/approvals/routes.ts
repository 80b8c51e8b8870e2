import * as contract from 'contract/approvals.ts';
import { countApprovals as countEndpoint } from 'contract/approvals-count.ts';
import { inActorTransaction } from '#server/core/auth/actor-transaction.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { Refusal } from '#server/core/refusal.ts';
import { requestLimit, listLimits } from './limits.ts';
import { countApprovals, decideApproval, type Effects, listApprovals, readApproval } from './service.ts';

type Deps = { database: Database; effects: Effects; fourEyes: contract.FourEyes };

export function approvalRoutes(api: Api, { database, effects, fourEyes }: Deps) {
  const deps = { effects, ...fourEyes };

  api.serve(contract.listApprovals, ({ querystring, actor }) =>
    listApprovals(database, querystring, { actor, ...deps }),
  );

  api.serve(countEndpoint, ({ actor }) => countApprovals(database, { actor, ...deps }));

  api.serve(contract.listLimits, () => listLimits(database));

  api.serve(contract.requestLimit, ({ body, actor }) =>
    inActorTransaction(database, actor, (tx) => requestLimit(tx, { actor, ...body })),
  );

  api.serve(contract.readApproval, ({ params, actor }) => readApproval(database, params.id, { actor, ...deps }));

  api.serve(contract.decideApproval, async ({ params, body, actor }) => {
    const decision = { actor, id: params.id, ...body };
    const decided = await inActorTransaction(database, actor, (tx) => decideApproval(tx, decision, deps));
    if ('refusal' in decided) throw new Refusal(decided.refusal);
    return decided;
  });
}
