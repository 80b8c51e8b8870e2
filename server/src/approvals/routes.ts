import * as contract from 'contract/approvals.ts';
import { actingAs } from '#server/auth/acting.ts';
import type { Database } from '#server/db/db.ts';
import type { Api } from '#server/http/api.ts';
import { Refusal } from '#server/http/refusal.ts';
import { askForLimit, listLimits } from './limits.ts';
import { decideApproval, type Effects, listApprovals, readApproval } from './service.ts';

type Means = { database: Database; effects: Effects; fourEyes: contract.FourEyes };

export function approvalRoutes(api: Api, { database, effects, fourEyes }: Means) {
  api.serve(contract.listApprovals, ({ querystring }) => listApprovals(database, querystring, fourEyes));

  api.serve(contract.listLimits, () => listLimits(database));

  api.serve(contract.askForLimit, ({ body, actor }) =>
    actingAs(database, actor, (tx) => askForLimit(tx, { actor, ...body })),
  );

  api.serve(contract.readApproval, ({ params }) => readApproval(database, params.id, fourEyes));

  api.serve(contract.decideApproval, async ({ params, body, actor }) => {
    const decision = { actor, id: params.id, ...body };
    const decided = await actingAs(database, actor, (tx) => decideApproval(tx, decision, { effects, ...fourEyes }));
    if ('refusal' in decided) throw new Refusal(decided.refusal);
    return decided;
  });
}
