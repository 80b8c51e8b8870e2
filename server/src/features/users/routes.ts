import * as contract from 'contract/users.ts';
import { inActorTransaction } from '#server/core/auth/actor-transaction.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { listRankMoves, promoteMovers, readRankMoveFigures } from './rank-moves.ts';
import {
  changeUser,
  deleteUser,
  listRankChanges,
  listUsers,
  promoteUser,
  readUser,
  setBlacklisted,
} from './service.ts';

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

  api.serve(contract.promoteUser, ({ body, actor }) =>
    inActorTransaction(database, actor, (tx) => promoteUser(tx, { actor, ...body })),
  );

  api.serve(contract.listRankChanges, ({ querystring }) => listRankChanges(database, querystring));

  api.serve(contract.listRankMoves, ({ querystring }) => listRankMoves(database, querystring));

  api.serve(contract.readRankMoveFigures, () => readRankMoveFigures(database));

  api.serve(contract.promoteMovers, ({ body, actor }) =>
    inActorTransaction(database, actor, (tx) => promoteMovers(tx, { actor, ...body })),
  );
}
