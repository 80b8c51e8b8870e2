import * as contract from 'contract/tasks.ts';
import { inActorTransaction } from '#server/core/auth/actor-transaction.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import type { Owed } from '#server/core/ledger/lines.ts';
import { changeTask, createTask, listTasks, readTask, setRewarded } from './service.ts';

export function taskRoutes(api: Api, { database, owed }: { database: Database; owed: Owed }) {
  api.serve(contract.listTasks, ({ querystring }) => listTasks(database, querystring));

  api.serve(contract.readTask, ({ params }) => readTask(database, params.id));

  api.serve(contract.createTask, ({ body, actor }) =>
    inActorTransaction(database, actor, (tx) => createTask(tx, { actor, form: body })),
  );

  api.serve(contract.changeTask, ({ params, body: { version, ...form }, actor }) =>
    inActorTransaction(database, actor, (tx) => changeTask(tx, { actor, id: params.id, version, form })),
  );

  api.serve(contract.setRewarded, ({ params, body, actor }) =>
    inActorTransaction(database, actor, (tx) => setRewarded(tx, { owed, actor, id: params.id, ...body })),
  );
}
