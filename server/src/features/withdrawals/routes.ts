import * as contract from 'contract/withdrawals.ts';
import * as reconciliation from 'contract/withdrawals-reconciliation.ts';
import * as settlement from 'contract/withdrawals-settlement.ts';
import { readWithdrawalFigures as figuresEndpoint } from 'contract/withdrawals-figures.ts';
import { inActorTransaction, inKeyTransaction } from '#server/core/auth/actor-transaction.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { approveWithdrawal, readDailyLimit, rejectWithdrawal } from './decide.ts';
import { decideWithdrawals } from './decide-many.ts';
import { closeDifference, listDifferences, listReconciliations, reconcile } from './reconciliation.ts';
import { readWithdrawalSettings, requestWithdrawalSettings } from './settings.ts';
import { readSettlement, reportFromPlatform, settleWithdrawal } from './settlement.ts';
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

  api.serve(settlement.reportOutcome, ({ params: { id }, body, apiKey }) =>
    inKeyTransaction(database, apiKey, async (tx) => {
      const { withdrawal } = await reportFromPlatform(tx, { id, apiKeyId: apiKey.id, ...body });
      return { id, state: withdrawal.state, reference: withdrawal.reference };
    }),
  );

  api.serve(settlement.settleWithdrawal, ({ params, body, actor }) =>
    inActorTransaction(database, actor, (tx) => settleWithdrawal(tx, { actor, id: params.id, ...body })),
  );

  api.serve(settlement.readSettlement, () => readSettlement(database));

  api.serve(settlement.readWithdrawalSettings, () => readWithdrawalSettings(database));

  api.serve(settlement.requestWithdrawalSettings, ({ body, actor }) =>
    inActorTransaction(database, actor, (tx) => requestWithdrawalSettings(tx, { actor, ...body })),
  );

  api.serve(reconciliation.reconcileWithdrawals, ({ body, actor }) =>
    inActorTransaction(database, actor, (tx) => reconcile(tx, { actor, ...body })),
  );

  api.serve(reconciliation.listReconciliations, ({ querystring }) => listReconciliations(database, querystring));

  api.serve(reconciliation.listDifferences, ({ querystring }) => listDifferences(database, querystring));

  api.serve(reconciliation.closeDifference, ({ params, body, actor }) =>
    inActorTransaction(database, actor, (tx) => closeDifference(tx, { actor, id: params.id, note: body.note })),
  );

  api.serve(contract.decideWithdrawals, ({ body, actor, request }) => {
    const onFault = (error: unknown) => request.log.error({ error }, 'a withdrawal could not be decided');
    return decideWithdrawals(database, { actor, ...body, onFault });
  });
}
