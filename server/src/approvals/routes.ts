import * as contract from 'contract/approvals.ts';
import { actingAs } from '#server/auth/acting.ts';
import type { Database } from '#server/db/db.ts';
import type { Api } from '#server/http/api.ts';
import { decideApproval, type Effects, listApprovals } from './service.ts';

type Means = { database: Database; effects: Effects; fourEyes: contract.FourEyes };

export function approvalRoutes(api: Api, { database, effects, fourEyes }: Means) {
  api.serve(contract.listApprovals, ({ querystring }) => listApprovals(database, querystring, fourEyes));

  api.serve(contract.decideApproval, ({ params, body, actor }) =>
    actingAs(database, actor, (tx) => decideApproval(tx, { actor, id: params.id, ...body }, { effects, ...fourEyes })),
  );
}
