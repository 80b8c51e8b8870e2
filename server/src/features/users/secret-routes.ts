import { listOpenedKeys as openedEndpoint } from 'contract/users-opened-keys.ts';
import * as contract from 'contract/users-secrets.ts';
import { inActorTransaction } from '#server/core/auth/actor-transaction.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { listOpenedKeys, openKey, readKeyReveal, requestKeyReveal } from './key-reveals.ts';
import { resetPassword } from './password-reset.ts';

type Deps = { database: Database; secretsKey: Buffer };

export function secretRoutes(api: Api, { database, secretsKey }: Deps) {
  api.serve(contract.requestKeyReveal, ({ params, body, actor }) =>
    inActorTransaction(database, actor, (tx) => requestKeyReveal(tx, { actor, id: params.id, ...body })),
  );

  api.serve(contract.readKeyReveal, ({ params, actor }) => readKeyReveal(database, { actor, id: params.id }));

  // Without an idempotency key: its stored response would contain the key.
  api.serve(contract.openKey, ({ params, actor }) =>
    inActorTransaction(database, actor, (tx) => openKey(tx, { actor, id: params.id, secretsKey })),
  );

  api.serve(openedEndpoint, () => listOpenedKeys(database));

  api.serve(contract.resetPassword, ({ params, body, actor }) =>
    inActorTransaction(database, actor, (tx) => resetPassword(tx, { actor, id: params.id, ...body })),
  );
}
