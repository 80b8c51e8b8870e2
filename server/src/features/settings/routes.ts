import * as contract from 'contract/settings.ts';
import { actingAs } from '#server/core/auth/acting.ts';
import type { Database } from '#server/core/db/db.ts';
import type { Api } from '#server/core/http/api.ts';
import { readSettings, saveSettings } from './service.ts';

export function settingsRoutes(api: Api, database: Database) {
  api.serve(contract.readSettings, ({ actor }) => readSettings(database, actor.id));

  api.serve(contract.saveSettings, ({ body, actor }) =>
    actingAs(database, actor, (tx) => saveSettings(tx, { actor, ...body })),
  );
}
