import * as contract from 'contract/staking.ts';
import { inActorTransaction } from '#server/core/auth/actor-transaction.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { createPlan, listPlans, listStakes, readStake, readStakingFigures, setPlanOffered } from './service.ts';

export function stakingRoutes(api: Api, database: Database) {
  api.serve(contract.listStakes, ({ querystring }) => listStakes(database, querystring));

  api.serve(contract.readStake, ({ params }) => readStake(database, params.id));

  api.serve(contract.readStakingFigures, () => readStakingFigures(database));

  api.serve(contract.listPlans, () => listPlans(database));

  api.serve(contract.createPlan, ({ body, actor }) =>
    inActorTransaction(database, actor, (tx) => createPlan(tx, { actor, ...body })),
  );

  api.serve(contract.setPlanOffered, ({ params, body, actor }) =>
    inActorTransaction(database, actor, (tx) => setPlanOffered(tx, { actor, id: params.id, offered: body.offered })),
  );
}
