import * as contract from 'contract/settings.ts';
import { inActorTransaction } from '#server/core/auth/actor-transaction.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { readSettings, saveSettings } from './service.ts';

export function settingsRoutes(api: Api, database: Database) {
  api.serve(contract.readSettings, ({ actor }) => readSettings(database, actor.id));

  api.serve(contract.saveSettings, ({ body, actor }) =>
    inActorTransaction(database, actor, (tx) => saveSettings(tx, { actor, ...body })),
  );
}
