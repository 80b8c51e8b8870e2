import * as contract from 'contract/users.ts';
import * as ranks from 'contract/users-ranks.ts';
import { inActorTransaction } from '#server/core/auth/actor-transaction.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { promoteMovers, promoteUser } from './promotions.ts';
import { listRankMoves, readRankMoveFigures } from './rank-moves.ts';
import { changeUser, deleteUser, listRankChanges, listUsers, readUser, setBlacklisted } from './service.ts';

export function userRoutes(api: Api, database: Database) {
  api.serve(contract.listUsers, ({ querystring }) => listUsers(database, querystring));

  api.serve(contract.readUser, ({ params }) => readUser(database, params.id));

  api.serve(contract.changeUser, ({ params, body, actor }) =>
    inActorTransaction(database, actor, (tx) => changeUser(tx, { actor, id: params.id, ...body })),
  );

  api.serve(contract.deleteUser, ({ params, actor }) =>
    inActorTransaction(database, actor, (tx) => deleteUser(tx, { actor, id: params.id })),
  );

  api.serve(contract.setBlacklisted, ({ params, body, actor }) =>
    inActorTransaction(database, actor, (tx) => setBlacklisted(tx, { actor, id: params.id, ...body })),
  );

  api.serve(ranks.promoteUser, ({ body, actor }) =>
    inActorTransaction(database, actor, (tx) => promoteUser(tx, { actor, ...body })),
  );

  api.serve(ranks.listRankChanges, ({ querystring }) => listRankChanges(database, querystring));

  api.serve(ranks.listRankMoves, ({ querystring }) => listRankMoves(database, querystring));

  api.serve(ranks.readRankMoveFigures, () => readRankMoveFigures(database));

  api.serve(ranks.promoteMovers, ({ body, actor }) =>
    inActorTransaction(database, actor, (tx) => promoteMovers(tx, { actor, ...body })),
  );
}
