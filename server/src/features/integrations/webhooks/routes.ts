import * as eventsContract from 'contract/integrations-events.ts';
import { listPausedWebhooks as paused } from 'contract/integrations-paused.ts';
import * as contract from 'contract/integrations-webhooks.ts';
import { inActorTransaction } from '#server/core/auth/actor-transaction.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { Refusal } from '#server/core/refusal.ts';
import { listDeliveries, listEvents, readDelivery, retryDelivery } from './deliveries.ts';
import type { Sender } from './sender.ts';
import {
  createWebhook,
  listPausedWebhooks,
  listWebhooks,
  removeWebhook,
  replayWebhook,
  rotateSecret,
  setWebhookState,
  testWebhook,
  updateWebhook,
} from './service.ts';

type Deps = { database: Database; sender: Sender; secretsKey: Buffer };

export function webhookRoutes(api: Api, { database, sender, secretsKey }: Deps) {
  /** Resolves the name of the URL, so it must not run in a transaction. */
  const refuseTarget = async (url: string) => {
    const refusal = await sender.check(url);
    if (refusal) throw new Refusal(refusal);
  };

  api.serve(eventsContract.listEvents, ({ querystring }) => listEvents(database, querystring));
  api.serve(paused, () => listPausedWebhooks(database));
  api.serve(contract.listWebhooks, () => listWebhooks(database));

  api.serve(contract.createWebhook, async ({ body, actor }) => {
    await refuseTarget(body.url);
    return inActorTransaction(database, actor, (tx) => createWebhook(tx, { actor, secretsKey, ...body }));
  });

  api.serve(contract.updateWebhook, async ({ params, body, actor }) => {
    await refuseTarget(body.url);
    return inActorTransaction(database, actor, (tx) => updateWebhook(tx, { actor, id: params.id, ...body }));
  });

  api.serve(contract.setWebhookState, ({ params, body, actor }) =>
    inActorTransaction(database, actor, (tx) => setWebhookState(tx, { actor, id: params.id, state: body.state })),
  );

  api.serve(contract.removeWebhook, ({ params, actor }) =>
    inActorTransaction(database, actor, (tx) => removeWebhook(tx, { actor, id: params.id })),
  );

  api.serve(contract.rotateWebhookSecret, ({ params, actor }) =>
    inActorTransaction(database, actor, (tx) => rotateSecret(tx, { actor, id: params.id, secretsKey })),
  );

  api.serve(contract.testWebhook, ({ params, actor }) =>
    inActorTransaction(database, actor, (tx) => testWebhook(tx, { actor, id: params.id })),
  );

  api.serve(contract.replayWebhook, ({ params, body, actor }) =>
    inActorTransaction(database, actor, (tx) => replayWebhook(tx, { actor, id: params.id, from: body.from })),
  );

  api.serve(contract.listDeliveries, ({ params, querystring }) =>
    listDeliveries(database, { id: params.id, ...querystring }),
  );

  api.serve(contract.readDelivery, ({ params }) => readDelivery(database, params.id));

  api.serve(contract.retryDelivery, ({ params, actor }) =>
    inActorTransaction(database, actor, (tx) => retryDelivery(tx, { actor, id: params.id })),
  );
}
