import * as contract from 'contract/integrations-keys.ts';
import { inActorTransaction } from '#server/core/auth/actor-transaction.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { createApiKey, listApiKeys, readApiKeyUsage, revokeApiKey, rotateApiKey } from './service.ts';

export function keyRoutes(api: Api, database: Database) {
  api.serve(contract.listApiKeys, () => listApiKeys(database));

  api.serve(contract.readApiKeyUsage, ({ params }) => readApiKeyUsage(database, params.id));

  api.serve(
    contract.readOwnKey,
    async ({ apiKey: { name, scopes, requestsPerMinute, expiresAt, secretValidUntil } }) => ({
      name,
      scopes,
      requestsPerMinute,
      expiresAt,
      secretValidUntil,
    }),
  );

  api.serve(contract.createApiKey, ({ body, actor }) =>
    inActorTransaction(database, actor, (tx) => createApiKey(tx, { actor, ...body })),
  );

  api.serve(contract.rotateApiKey, ({ params, body, actor }) =>
    inActorTransaction(database, actor, (tx) => rotateApiKey(tx, { actor, id: params.id, ...body })),
  );

  api.serve(contract.revokeApiKey, ({ params, actor }) =>
    inActorTransaction(database, actor, (tx) => revokeApiKey(tx, { actor, id: params.id })),
  );
}
