import * as contract from 'contract/reports.ts';
import { inActorTransaction } from '#server/core/auth/actor-transaction.ts';
import type { Config } from '#server/config.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import type { Enqueue } from '#server/core/queue/queue.ts';
import {
  cancelExport,
  countFailedWithdrawals,
  linkExport,
  listExports,
  listReport,
  openExport,
  redeemLink,
  startExport,
} from './service.ts';

type Deps = { database: Database; config: Pick<Config, 'exports'>; enqueue: Enqueue };

export function reportRoutes(api: Api, { database, config, enqueue }: Deps) {
  api.serve(contract.reportWithdrawals, ({ querystring }) =>
    listReport<contract.WithdrawalReportRow>(database, 'withdrawal', querystring),
  );

  api.serve(contract.countFailedWithdrawals, ({ querystring }) => countFailedWithdrawals(database, querystring));

  api.serve(contract.reportStaking, ({ querystring }) =>
    listReport<contract.StakingReportRow>(database, 'staking', querystring),
  );

  api.serve(contract.reportTasks, ({ querystring }) =>
    listReport<contract.TaskReportRow>(database, 'task', querystring),
  );

  api.serve(contract.listExports, ({ actor }) => listExports(database, actor));

  api.serve(contract.startExport, ({ body, actor }) =>
    inActorTransaction(database, actor, (tx) => startExport(tx, { actor, enqueue, ...body })),
  );

  api.serve(contract.cancelExport, ({ params, actor }) =>
    inActorTransaction(database, actor, (tx) => cancelExport(tx, { actor, id: params.id })),
  );

  api.serve(contract.linkExport, ({ params, actor }) =>
    inActorTransaction(database, actor, (tx) => linkExport(tx, { actor, id: params.id })),
  );

  api.send(contract.downloadExport, async ({ params, querystring }) => {
    const redeemed = await database
      .transaction()
      .execute((tx) => redeemLink(tx, { id: params.id, key: querystring.key }));
    return openExport(config.exports.folder, redeemed);
  });
}
