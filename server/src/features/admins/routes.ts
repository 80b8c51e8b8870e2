import * as contract from 'contract/admins.ts';
import * as recovery from 'contract/admins-recovery.ts';
import { inActorTransaction } from '#server/core/auth/actor-transaction.ts';
import { preparePassword } from '#server/core/auth/service.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { Refusal } from '#server/core/refusal.ts';
import { completeRecovery, listRecoveries, prepareTemporaryPassword, requestRecovery } from './recovery.ts';
import { changeAdmin, createAdmin, deleteAdmin, listAdmins, readAdmin } from './service.ts';

export function adminRoutes(api: Api, database: Database) {
  api.serve(contract.listAdmins, () => listAdmins(database));

  api.serve(contract.readAdmin, ({ params }) => readAdmin(database, params.id));

  api.serve(contract.createAdmin, async ({ body, actor }) => {
    const { username, password, confirmPassword, role } = body;
    if (password !== confirmPassword) throw new Refusal('PasswordsDiffer');
    const setPassword = await preparePassword({ password, username, temporary: true });
    return inActorTransaction(database, actor, (tx) =>
      createAdmin(tx, { actorId: actor.id, username, role, setPassword }),
    );
  });

  api.serve(contract.deleteAdmin, ({ body, actor }) =>
    inActorTransaction(database, actor, (tx) => deleteAdmin(tx, { actorId: actor.id, username: body.username })),
  );

  api.serve(recovery.requestRecovery, ({ params, body, actor }) =>
    inActorTransaction(database, actor, (tx) => requestRecovery(tx, { actorId: actor.id, id: params.id, ...body })),
  );

  api.serve(recovery.listRecoveries, () => listRecoveries(database));

  api.serve(recovery.completeRecovery, async ({ params, actor }) => {
    const { password, setPassword } = await prepareTemporaryPassword();
    const completed = { actorId: actor.id, id: params.id, setPassword };
    const username = await inActorTransaction(database, actor, (tx) => completeRecovery(tx, completed));
    return { username, password };
  });

  api.serve(contract.updateAdmin, ({ params, body, actor }) =>
    inActorTransaction(database, actor, (tx) => changeAdmin(tx, { actorId: actor.id, id: params.id, ...body })),
  );
}
