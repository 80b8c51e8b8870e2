import * as contract from 'contract/withdrawals.ts';
import { readWithdrawalFigures as figuresEndpoint } from 'contract/withdrawals-figures.ts';
import { inActorTransaction } from '#server/core/auth/actor-transaction.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { approveWithdrawal, readDailyLimit, rejectWithdrawal } from './decide.ts';
import { decideWithdrawals } from './decide-many.ts';
import {
  listWithdrawals,
  readWithdrawal,
  readWithdrawalFigures,
  readWithdrawalSwitch,
  setWithdrawalSwitch,
} from './service.ts';

export function withdrawalRoutes(api: Api, database: Database) {
  api.serve(contract.listWithdrawals, ({ querystring }) => listWithdrawals(database, querystring));

  api.serve(contract.readWithdrawal, ({ params }) => readWithdrawal(database, params.id));

  api.serve(figuresEndpoint, () => readWithdrawalFigures(database));

  api.serve(contract.readDailyLimit, ({ actor }) => readDailyLimit(database, actor));

  api.serve(contract.readWithdrawalSwitch, () => readWithdrawalSwitch(database));

  api.serve(contract.setWithdrawalSwitch, ({ body, actor }) =>
    inActorTransaction(database, actor, (tx) => setWithdrawalSwitch(tx, { actor, enabled: body.enabled })),
  );

  api.serve(contract.approveWithdrawal, ({ params, body, actor }) =>
    inActorTransaction(database, actor, (tx) => approveWithdrawal(tx, { actor, id: params.id, ...body })),
  );

  api.serve(contract.rejectWithdrawal, ({ params, body, actor }) =>
    inActorTransaction(database, actor, (tx) => rejectWithdrawal(tx, { actor, id: params.id, ...body })),
  );

  api.serve(contract.decideWithdrawals, ({ body, actor, request }) => {
    const onFault = (error: unknown) => request.log.error({ error }, 'a withdrawal could not be decided');
    return decideWithdrawals(database, { actor, ...body, onFault });
  });
}
